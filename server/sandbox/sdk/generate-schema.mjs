// Writes ../src/stripe/schema/generated.json: the calls that the stand-in serves, their parameters and
// their answers, read from the types of Stripe's official Node library. Run it with `npm run schema`.
// With --check, writes nothing and fails if the committed file differs.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Stripe from 'stripe';
import ts from 'typescript';

// The calls that the stand-in serves, as methods of the library. To serve another, add one line.
const CALLS = [
  'accountLinks.create',
  'accounts.create',
  'accounts.list',
  'accounts.listCapabilities',
  'accounts.retrieve',
  'accounts.retrieveCapability',
  'accounts.retrieveCurrent',
  'accounts.update',
  'applicationFees.createRefund',
  'applicationFees.list',
  'applicationFees.listRefunds',
  'applicationFees.retrieve',
  'balance.retrieve',
  'balanceTransactions.list',
  'balanceTransactions.retrieve',
  'charges.list',
  'charges.retrieve',
  'confirmationTokens.retrieve',
  'disputes.list',
  'disputes.retrieve',
  'events.list',
  'events.retrieve',
  'paymentIntents.cancel',
  'paymentIntents.capture',
  'paymentIntents.confirm',
  'paymentIntents.create',
  'paymentIntents.list',
  'paymentIntents.retrieve',
  'paymentIntents.update',
  'paymentMethodDomains.create',
  'paymentMethodDomains.list',
  'paymentMethodDomains.retrieve',
  'paymentMethodDomains.update',
  'paymentMethodDomains.validate',
  'paymentMethods.create',
  'paymentMethods.retrieve',
  'payouts.list',
  'payouts.retrieve',
  'radar.earlyFraudWarnings.list',
  'radar.earlyFraudWarnings.retrieve',
  'refunds.create',
  'refunds.list',
  'refunds.retrieve',
  'tokens.create',
  'tokens.retrieve',
  'testHelpers.confirmationTokens.create',
  'webhookEndpoints.create',
  'webhookEndpoints.del',
  'webhookEndpoints.list',
  'webhookEndpoints.retrieve',
  'webhookEndpoints.update',
];

const folder = dirname(fileURLToPath(import.meta.url));
const schemaFile = join(folder, '../src/stripe/schema/generated.json');
const library = join(folder, 'node_modules/stripe/esm');

const program = ts.createProgram([join(library, 'stripe.esm.node.d.ts')], {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  target: ts.ScriptTarget.ES2022,
  types: [],
});
const checker = program.getTypeChecker();

function typeOfMember(type, name) {
  const member = checker.getPropertyOfType(type, name);
  if (!member) throw new Error(`${checker.typeToString(type)} has no member ${name}`);
  return checker.getTypeOfSymbol(member);
}

function exportedType(file, name) {
  const source = program.getSourceFile(join(library, file));
  const found = checker
    .getExportsOfModule(checker.getSymbolAtLocation(source))
    .find((exported) => exported.name === name);
  if (!found) throw new Error(`${file} exports no ${name}`);
  return checker.getDeclaredTypeOfSymbol(found);
}

const isLiteral = (type) => type.isStringLiteral();
const membersOf = (type) => (type.isUnion() ? type.types : [type]);
const literalsOf = (type) =>
  membersOf(type)
    .filter(isLiteral)
    .map((literal) => literal.value);

/** Other payment methods than cards. The stand-in has none, so their details are left out. */
const otherMethods = new Set(
  literalsOf(typeOfMember(exportedType('resources/PaymentMethods.d.ts', 'PaymentMethod'), 'type')),
);
otherMethods.delete('card');

/** The names of the objects that calls return or events carry. Only events carry an application. */
const answeredObjects = new Set(['Application']);
/** The described types, by name. */
const types = {};

/** Returns the type's name, such as `PaymentIntent.Status` or `Radar.EarlyFraudWarning`. */
function nameOf(type) {
  const name = checker.getFullyQualifiedName(type.aliasSymbol ?? type.symbol);
  const [, module, path] = /^(?:"(.*)"\.)?(.*)$/.exec(name);
  const folder = /\/resources\/(.+)\/[^/]+$/.exec(module ?? '');
  return folder
    ? `${folder[1].replaceAll('/', '.')}.${path.replace(/^\w+\.(?=\w+Params)/, '')}`
    : path;
}

/** Whether the type is one of Stripe's objects with an id of its own, such as a charge. */
function isResource(type) {
  const object = checker.getPropertyOfType(type, 'object');
  return Boolean(object && checker.getPropertyOfType(type, 'id'));
}

function describeUnion(type) {
  const parts = [];
  const literals = literalsOf(type).filter((literal) => literal !== '');
  if (literals.length > 0) parts.push({ enum: literals.sort() });
  for (const member of type.types) {
    // An empty text deletes a stored value, as null does.
    if (isLiteral(member) && member.value === '' && !parts.includes('null')) parts.push('null');
    // `OtherString` says that later versions may add values. This version has none.
    if (isLiteral(member) || (member.isIntersection() && literals.length > 0)) continue;
    const part = describe(member);
    if (part && !parts.includes(part)) parts.push(part);
  }
  if (parts.length === 0) return null;
  return parts.length === 1 ? parts[0] : { one_of: parts };
}

/** Whether a field is about another payment method: `ideal`, `ideal_payments`. */
const isOfOtherMethod = (field) =>
  [...otherMethods].some((method) => field === method || field.startsWith(`${method}_`));

function describeFields(type) {
  const fields = {};
  for (const member of checker.getPropertiesOfType(type)) {
    const memberType = checker.getTypeOfSymbol(member);
    const isOptional = Boolean(member.flags & ts.SymbolFlags.Optional);
    const isOther = isOfOtherMethod(member.name) && membersOf(memberType).some(isPlainObject);
    const kind = isOther ? 'other_method' : describe(memberType);
    fields[isOptional ? `${member.name}?` : member.name] = kind ?? 'any';
  }
  return fields;
}

const isPlainObject = (type) =>
  Boolean(type.flags & ts.TypeFlags.Object) && !checker.isArrayType(type);

function describeObject(type) {
  const index = checker.getIndexInfoOfType(type, ts.IndexKind.String);
  if (index) return { map: describe(index.type) };
  const name = nameOf(type);
  if (name === 'ApiList') return { list: describe(checker.getTypeArguments(type)[0]) ?? 'any' };
  if (name === 'Decimal') return 'string';
  if (isResource(type) && !answeredObjects.has(name)) return null;
  // The types say nothing about what is in it.
  if (checker.getPropertiesOfType(type).length === 0) return 'any';
  if (name.startsWith('__')) return { fields: describeFields(type) };
  if (!types[name]) {
    types[name] = {};
    Object.assign(types[name], describeFields(type));
  }
  return { ref: name };
}

/** Describes a type. `null`: an object that the stand-in never answers. */
function describe(type) {
  const flags = type.flags;
  // `undefined` only says that the field is optional, which its name says already.
  if (flags & ts.TypeFlags.Undefined) return null;
  if (flags & ts.TypeFlags.Null) return 'null';
  if (flags & ts.TypeFlags.Boolean) return 'boolean';
  if (flags & ts.TypeFlags.BooleanLiteral) return 'boolean';
  if (flags & ts.TypeFlags.NumberLike) return 'number';
  if (isLiteral(type)) return { enum: [type.value] };
  if (flags & ts.TypeFlags.StringLike) return 'string';
  if (type.isIntersection()) return 'string';
  if (type.isUnion()) return describeUnion(type);
  if (checker.isArrayType(type))
    return { array: describe(checker.getTypeArguments(type)[0]) ?? 'any' };
  if (flags & ts.TypeFlags.Object) return describeObject(type);
  return 'any';
}

/** Reads one line of CALLS: the request that the method sends, and the method's signature. */
function readCall(path, client) {
  const names = path.split('.');
  const method = names.pop();
  let type = exportedType('stripe.core.d.ts', 'Stripe');
  let resource = client;
  for (const name of names) {
    type = typeOfMember(type, name);
    resource = resource[name];
  }
  const [signature] = typeOfMember(type, method).getCallSignatures();
  const parameters = signature.getParameters().map((parameter) => parameter.name);
  const ids = parameters.slice(0, parameters.indexOf('params')).map(() => '{id}');
  const recorder = Object.create(resource, {
    _makeRequest: { value: (verb, url) => `${verb} ${decodeURIComponent(url)}` },
  });
  return { request: resource[method].apply(recorder, ids), signature };
}

/** Returns the type of a method's answer, and whether the answer is a list of it. */
function answerOf(signature) {
  const promise = signature.getReturnType();
  const answer = checker.getTypeArguments(promise)[0];
  const isList = nameOf(promise) === 'ApiListPromise';
  return {
    type: answer.aliasSymbol?.name === 'Response' ? answer.aliasTypeArguments[0] : answer,
    isList,
  };
}

function describeParameters(signature) {
  const params = signature.getParameters().find((parameter) => parameter.name === 'params');
  return describe(checker.getNonNullableType(checker.getTypeOfSymbol(params)));
}

/** Returns the object that each type of event is about, if the stand-in answers such objects. */
function describeEvents() {
  const events = {};
  for (const event of exportedType('resources/Events.d.ts', 'Event').types) {
    const object = typeOfMember(typeOfMember(event, 'data'), 'object');
    if (!object.symbol || !answeredObjects.has(nameOf(object))) continue;
    events[literalsOf(typeOfMember(event, 'type'))[0]] = describe(object);
  }
  return events;
}

function describeEvent(events) {
  const fields = describeFields(exportedType('resources/Events.d.ts', 'EventBase'));
  for (const name of Object.keys(types)) if (name.startsWith('Event.Data')) delete types[name];
  // `events` says of which type the object is.
  const data = { fields: { object: 'any', 'previous_attributes?': 'any' } };
  return { ...fields, data, type: { enum: Object.keys(events) } };
}

function describeApi() {
  const client = new Stripe('sk_test_schema');
  const read = CALLS.map((path) => readCall(path, client));
  for (const { signature } of read) answeredObjects.add(nameOf(answerOf(signature).type));
  const calls = {};
  for (const { request, signature } of read) {
    const { type, isList } = answerOf(signature);
    const answer = nameOf(type) === 'Event' ? { ref: 'Event' } : describe(type);
    calls[request] = {
      parameters: describeParameters(signature),
      answer: isList ? { list: answer } : answer,
    };
  }
  const events = describeEvents();
  types.Event = describeEvent(events);
  return { api_version: Stripe.API_VERSION, calls, events, types };
}

/** One line for each entry, so that a change is easy to read. */
function linesOf(entries) {
  const lines = Object.keys(entries)
    .sort()
    .map((name) => `    ${JSON.stringify(name)}: ${JSON.stringify(entries[name])}`);
  return `{\n${lines.join(',\n')}\n  }`;
}

const api = describeApi();
const text = `{
  "api_version": ${JSON.stringify(api.api_version)},
  "calls": ${linesOf(api.calls)},
  "events": ${linesOf(api.events)},
  "types": ${linesOf(api.types)}
}
`;
if (!process.argv.includes('--check')) writeFileSync(schemaFile, text);
else if (readFileSync(schemaFile, 'utf8') !== text) {
  console.error(
    'server/sandbox/src/stripe/schema/generated.json is not what the library says: run `npm run schema`, and commit it',
  );
  process.exit(1);
}
