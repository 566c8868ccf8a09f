// ESLint rule: the options of every call of Stripe.js end in `satisfies <type of the options>`.
// A type annotation is not enough, because TypeScript does not find unknown options in a function
// that returns the options, nor behind a spread, and Stripe.js throws at an option it does not know.

/** Methods whose object arguments are options. */
const METHODS = new Set([
  'confirmCardPayment',
  'confirmPayment',
  'createConfirmationToken',
  'createPaymentMethod',
  'elements',
  'handleNextAction',
]);
/** Components of react-stripe-js that pass `options` to the library. */
const COMPONENT = /^(Elements|\w+Element)$/;
const STRIPE_PACKAGE = /^@stripe\/(react-)?stripe-js/;

const MESSAGE =
  'options of Stripe.js must be an object literal that ends in `satisfies` the type of the options';
const SPREAD_MESSAGE =
  'a spread in options of Stripe.js hides unknown options from `satisfies`: write the option itself';

/** Returns the expression that gives the value of a `useMemo` callback or a called function. */
function returnedValue(callback) {
  if (!/^(Arrow)?Function(Expression|Declaration)$/.test(callback?.type ?? '')) return null;
  if (callback.body.type !== 'BlockStatement') return callback.body;
  const [only, ...others] = callback.body.body;
  return only?.type === 'ReturnStatement' && others.length === 0 ? only.argument : null;
}

function variableOf(scope, name) {
  for (let current = scope; current; current = current.upper) {
    const found = current.set.get(name);
    if (found) return found;
  }
  return null;
}

/** Returns the object literal of options that end in `satisfies`, or null. */
function checkedLiteral(sourceCode, node) {
  if (node?.type === 'TSSatisfiesExpression')
    return node.expression.type === 'ObjectExpression' ? node.expression : null;
  if (node?.type === 'Identifier') {
    const definition = variableOf(sourceCode.getScope(node), node.name)?.defs[0];
    if (definition?.type === 'FunctionName')
      return checkedLiteral(sourceCode, returnedValue(definition.node));
    return definition?.type === 'Variable' && definition.parent.kind === 'const'
      ? checkedLiteral(sourceCode, definition.node.init)
      : null;
  }
  if (node?.type === 'ArrowFunctionExpression')
    return checkedLiteral(sourceCode, returnedValue(node));
  if (node?.type === 'CallExpression' && node.callee.type === 'Identifier')
    return node.callee.name === 'useMemo'
      ? checkedLiteral(sourceCode, node.arguments[0])
      : checkedLiteral(sourceCode, node.callee);
  return null;
}

/** Returns the first spread in an object literal and its literals, or null. */
function spreadIn(object) {
  for (const property of object.properties) {
    if (property.type === 'SpreadElement') return property;
    const value =
      property.value.type === 'TSSatisfiesExpression' ? property.value.expression : property.value;
    const found = value.type === 'ObjectExpression' ? spreadIn(value) : null;
    if (found) return found;
  }
  return null;
}

/** The rule, for files that import Stripe's packages. */
export const stripeSatisfiesRule = {
  meta: { type: 'problem', schema: [] },
  create: (context) => {
    const { sourceCode } = context;
    const usesStripe = sourceCode.ast.body.some(
      (statement) =>
        statement.type === 'ImportDeclaration' && STRIPE_PACKAGE.test(statement.source.value),
    );
    if (!usesStripe) return {};
    const check = (node) => {
      const literal = checkedLiteral(sourceCode, node);
      if (!literal) return context.report({ node, message: MESSAGE });
      const spread = spreadIn(literal);
      if (spread) context.report({ node: spread, message: SPREAD_MESSAGE });
    };
    return {
      CallExpression: ({ callee, arguments: given }) => {
        if (callee.type !== 'MemberExpression' || !METHODS.has(callee.property.name)) return;
        given
          .filter(({ type }) => type !== 'Literal' && type !== 'SpreadElement')
          // `confirmCardPayment` takes the client secret first.
          .slice(callee.property.name === 'confirmCardPayment' ? 1 : 0)
          .forEach(check);
      },
      JSXAttribute: ({ name, value, parent }) => {
        if (name.name !== 'options' || !COMPONENT.test(parent.name.name ?? '')) return;
        check(value?.type === 'JSXExpressionContainer' ? value.expression : value);
      },
    };
  },
};
