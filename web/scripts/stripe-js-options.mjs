// Writes the options that Stripe.js accepts, read from the types of `@stripe/stripe-js`, to a file
// of the sandbox's stand-in of Stripe.js. Run it with `npm run stripe-js-options` after an update
// of `@stripe/stripe-js`.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
export const OPTIONS_FILE = join(root, '../server/sandbox/src/stripejs/0_option_shapes.js');

/** The calls of the library, each with the type of its options. */
const OPTIONS_OF_CALLS = `
import type * as S from '@stripe/stripe-js';
type ByMode<M> = Extract<S.StripeElementsOptionsMode, { mode: M }>;
export interface Calls {
  'Stripe()': S.StripeConstructorOptions;
  'elements() with mode payment': ByMode<'payment'>;
  'elements() with mode subscription': ByMode<'subscription'>;
  'elements() with mode setup': ByMode<'setup'>;
  'elements() with clientSecret': S.StripeElementsOptionsClientSecret;
  'elements.update()': S.StripeElementsUpdateOptions;
  "elements.create('card')": S.StripeCardElementOptions;
  "elements.create('payment')": S.StripePaymentElementOptions;
  "elements.create('expressCheckout')": S.StripeExpressCheckoutElementOptions;
  'card.update()': S.StripeCardElementUpdateOptions;
  'payment.update()': Parameters<S.StripePaymentElement['update']>[0];
  'expressCheckout.update()': Parameters<S.StripeExpressCheckoutElement['update']>[0];
  'click event.resolve()': S.ClickResolveDetails;
  'stripe.confirmPayment()': {
    elements?: S.StripeElements;
    clientSecret?: string;
    confirmParams?: Partial<S.ConfirmPaymentData>;
    redirect?: 'always' | 'if_required';
  };
  'stripe.createConfirmationToken()': S.CreateConfirmationToken;
  'stripe.createPaymentMethod() with elements': S.CreatePaymentMethodFromElements;
  'stripe.createPaymentMethod() with card': S.CreatePaymentMethodCardData;
  'stripe.handleNextAction()': { clientSecret: string };
}
`;

/** Types whose values are objects of the library or the browser. Their members are not options. */
const OPAQUE_TYPE = /^(Date|HTML\w*Element|Stripe(Card|CardNumber)?Elements?)$/;

/**
 * Returns a table from each call to the shape of its options. A shape is:
 * - `"any"`, `"string"`, `"number"`, `"boolean"`, `"object"` or `"function"`;
 * - an array of the allowed values;
 * - `{ list: shape }` or `{ map: shape }`, for arrays and for objects with free names;
 * - `{ fields: { name: shape }, required: [name] }`;
 * - `{ either: [shape] }`.
 */
function readOptions() {
  const file = join(root, 'src/stripe-js-option-types.ts');
  const compilerOptions = {
    strict: true,
    skipLibCheck: true,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
    types: [],
  };
  const host = ts.createCompilerHost(compilerOptions);
  const source = ts.createSourceFile(file, OPTIONS_OF_CALLS, ts.ScriptTarget.ES2022);
  const [readSource, hasFile] = [host.getSourceFile.bind(host), host.fileExists.bind(host)];
  host.getSourceFile = (name, ...rest) => (name === file ? source : readSource(name, ...rest));
  host.fileExists = (name) => name === file || hasFile(name);
  const program = ts.createProgram([file], compilerOptions, host);
  const problems = ts.getPreEmitDiagnostics(program);
  if (problems.length > 0)
    throw new Error(ts.formatDiagnostics(problems, { ...host, getCanonicalFileName: (n) => n }));
  const checker = program.getTypeChecker();
  const [calls] = source.statements.filter(ts.isInterfaceDeclaration);
  return Object.fromEntries(
    checker
      .getTypeAtLocation(calls.name)
      .getProperties()
      .map((call) => [call.name, shapeOf(checker, checker.getTypeOfSymbol(call), [])]),
  );
}

/** Returns the shape of a type, or null for a type without a value, which forbids an option. */
function shapeOf(checker, type, outer) {
  if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return 'any';
  if (type.flags & (ts.TypeFlags.Never | ts.TypeFlags.Undefined)) return null;
  if (type.isUnion()) return shapeOfUnion(checker, type, outer);
  if (type.isStringLiteral() || type.isNumberLiteral()) return [type.value];
  if (type.flags & ts.TypeFlags.BooleanLiteral) return 'boolean';
  if (type.flags & ts.TypeFlags.Boolean) return 'boolean';
  if (type.flags & ts.TypeFlags.String) return 'string';
  if (type.flags & ts.TypeFlags.Number) return 'number';
  if (type.flags & ts.TypeFlags.Null) return [null];
  if (type.getCallSignatures().length > 0) return 'function';
  if (type.isIntersection() && type.types.some((part) => part.flags & ts.TypeFlags.String))
    return 'string';
  const name = (type.aliasSymbol ?? type.symbol)?.name ?? '';
  if (OPAQUE_TYPE.test(name)) return 'object';
  if (checker.isArrayType(type) || checker.isTupleType(type)) {
    const [item] = checker.getTypeArguments(type);
    return { list: shapeOf(checker, item, outer) };
  }
  // A type that contains itself is checked once.
  if (outer.includes(type)) return 'any';
  const within = [...outer, type];
  const free = checker.getIndexInfosOfType(type)[0];
  if (free) return { map: shapeOf(checker, free.type, within) };
  return shapeOfFields(checker, type, within);
}

function shapeOfFields(checker, type, within) {
  const fields = {};
  const required = [];
  for (const property of type.getProperties()) {
    const value = checker.getTypeOfSymbol(property);
    const shape = shapeOf(checker, value, within);
    if (shape === null) continue;
    fields[property.name] = shape;
    if (!(property.flags & ts.SymbolFlags.Optional)) required.push(property.name);
  }
  return required.length > 0 ? { fields, required } : { fields };
}

function shapeOfUnion(checker, type, outer) {
  const shapes = type.types
    .map((part) => shapeOf(checker, part, outer))
    .filter((shape) => shape !== null);
  const values = shapes.filter(Array.isArray).flat();
  const others = [
    ...new Map(
      shapes
        .filter((shape) => !Array.isArray(shape))
        .map((shape) => [JSON.stringify(shape), shape]),
    ).values(),
  ];
  const either = values.length > 0 ? [values, ...others] : others;
  if (either.length === 0) return null;
  return either.length === 1 ? either[0] : { either };
}

/**
 * Returns a function that numbers shapes: equal shapes get the same number. A number stands for the
 * shape at that position of `distinct`.
 */
function numberShapesInto(distinct) {
  const numbers = new Map();
  const number = (shape) => {
    if (typeof shape === 'string') return shape;
    const flat = Array.isArray(shape) ? { values: shape } : flatten(shape);
    const text = JSON.stringify(flat);
    if (!numbers.has(text)) numbers.set(text, distinct.push(text) - 1);
    return numbers.get(text);
  };
  const flatten = ({ list, map, either, fields, required }) => ({
    ...(list ? { list: number(list) } : {}),
    ...(map ? { map: number(map) } : {}),
    ...(either ? { either: either.map(number) } : {}),
    ...(fields
      ? { fields: Object.fromEntries(Object.entries(fields).map(([k, v]) => [k, number(v)])) }
      : {}),
    ...(required ? { required } : {}),
  });
  return number;
}

/** Returns the text of the generated file. */
export function optionsFileText() {
  const distinct = [];
  const number = numberShapesInto(distinct);
  const calls = Object.entries(readOptions()).map(
    ([call, shape]) => `  ${JSON.stringify(call)}: ${number(shape)}`,
  );
  return `// Part 0: the options that each call of Stripe.js accepts. Written by
// web/scripts/stripe-js-options.mjs from the types of @stripe/stripe-js; never by hand.

// A shape is the name of a type, or the number of a shape in this list.
var OPTION_SHAPES = [
${distinct.map((shape) => `  ${shape}`).join(',\n')}
];

var OPTIONS_OF_CALLS = {
${calls.join(',\n')}
};

`;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(OPTIONS_FILE, optionsFileText());
