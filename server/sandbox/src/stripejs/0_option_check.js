// Part 0: refuses options that Stripe.js does not know, or whose values it does not accept. The
// generated file of part 0 lists the options of each call.

// Throws an IntegrationError unless the options have the shape of the call.
function checkOptions(call, name, given) {
  var found = optionProblem(OPTIONS_OF_CALLS[call], given || {}, "", name);
  if (found) throw IntegrationError(found);
}

// Elements that are created before an intent have other options than those with an intent.
function checkElementsOptions(given) {
  var options = given || {};
  // A mode that Stripe does not have is refused as an illegal value of mode.
  var mode = OPTIONS_OF_CALLS["elements() with mode " + options.mode] === undefined ? "payment" : options.mode;
  checkOptions(options.mode === undefined ? "elements() with clientSecret" : "elements() with mode " + mode, "elements()", given);
  checkAmountAndCurrency("elements()", options);
}

function checkAmountAndCurrency(name, options) {
  if (options.amount !== undefined && !(options.amount > 0 && options.amount % 1 === 0)) {
    throw IntegrationError("Invalid value for " + name + ": amount should be a positive integer. You specified: " + options.amount + ".");
  }
  if (options.currency !== undefined && !/^[a-z]{3}$/.test(options.currency)) {
    throw IntegrationError("Invalid value for " + name + ": currency should be a three-letter code in lowercase. You specified: " + options.currency + ".");
  }
}

// Returns the first problem of a value, or null. An undefined option counts as absent.
function optionProblem(number, value, path, name) {
  if (typeof number === "string") return isOfType(number, value) ? null : illegal(name, path, "a value of type " + number, value);
  var shape = OPTION_SHAPES[number];
  if (shape.values) {
    return shape.values.indexOf(value) >= 0 ? null : illegal(name, path, "one of the following: " + shape.values.join(", "), value);
  }
  if (shape.either) return problemOfAll(shape.either, value, path, name);
  if (shape.list) {
    if (!Array.isArray(value)) return illegal(name, path, "an array", value);
    return first(value, function (item, index) { return optionProblem(shape.list, item, path + "[" + index + "]", name); });
  }
  if (!isOfType("object", value) || Array.isArray(value)) return illegal(name, path, "an object", value);
  return problemOfFields(shape, value, path, name);
}

function problemOfFields(shape, value, path, name) {
  var below = function (field) { return path ? path + "." + field : field; };
  var missing = (shape.required || []).filter(function (field) { return value[field] === undefined; })[0];
  if (missing) return "Missing value for " + name + ": " + below(missing) + " is required.";
  return first(Object.keys(value), function (field) {
    if (value[field] === undefined) return null;
    if (shape.map !== undefined) return optionProblem(shape.map, value[field], below(field), name);
    if (!Object.prototype.hasOwnProperty.call(shape.fields, field)) {
      return "Unrecognized " + name + " parameter: " + below(field) + " is not a recognized parameter.";
    }
    return optionProblem(shape.fields[field], value[field], below(field), name);
  });
}

// Returns null if the value has one of the shapes. Otherwise returns the problem of the last shape
// of the value's own kind, because it names the wrong option.
function problemOfAll(either, value, path, name) {
  var problems = either.map(function (shape) { return optionProblem(shape, value, path, name); });
  if (problems.indexOf(null) >= 0) return null;
  return problems.filter(function (found) { return !isAbout(found, name, path); }).pop() || problems[0];
}

function isAbout(found, name, path) { return found.indexOf("Invalid value for " + name + ": " + path + " should be") === 0; }

function isOfType(type, value) {
  if (type === "any") return true;
  return typeof value === type && value !== null;
}

function illegal(name, path, expected, value) {
  return "Invalid value for " + name + ": " + path + " should be " + expected + ". You specified: " + JSON.stringify(value) + ".";
}

function first(items, problemOf) {
  for (var index = 0; index < items.length; index += 1) {
    var found = problemOf(items[index], index);
    if (found) return found;
  }
  return null;
}

