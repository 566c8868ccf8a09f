// Part 1: events, form encoding and API calls. One function encloses all parts, so they share their
// names.

var script = document.currentScript;
var origin = script && script.src ? script.src.replace(/\/sandbox\/stripe\.js.*$/, "") : "";
var API = origin + "/sandbox/stripe/v1/";
var ATTEMPTS_MAX = 4;
var CONNECTION = "We are experiencing issues connecting to our payments provider. You have not been charged. Please check " +
  "your internet connection and try again.";

function IntegrationError(message) {
  var error = new Error(message);
  error.name = "IntegrationError";
  return error;
}

// The base of all elements: the page can add listeners for their events.
function Emitter() { this.listeners = {}; }
Emitter.prototype.on = function (name, listener) {
  (this.listeners[name] = this.listeners[name] || []).push(listener);
  return this;
};
Emitter.prototype.off = function (name, listener) {
  this.listeners[name] = (this.listeners[name] || []).filter(function (kept) {
    return listener && kept !== listener && kept.original !== listener;
  });
  return this;
};
Emitter.prototype.once = function (name, listener) {
  var self = this;
  var wrapped = function (event) { self.off(name, wrapped); listener(event); };
  wrapped.original = listener;
  return this.on(name, wrapped);
};
Emitter.prototype.hears = function (name) { return (this.listeners[name] || []).length > 0; };
Emitter.prototype.emit = function (name, event) {
  (this.listeners[name] || []).slice().forEach(function (listener) { listener(event); });
};

// Flattens nested fields as Stripe expects: {card: {number: "42"}} becomes card[number]=42.
function encode(fields, prefix) {
  return Object.keys(fields).filter(function (name) {
    return fields[name] !== undefined && fields[name] !== null;
  }).map(function (name) {
    var key = prefix ? prefix + "[" + name + "]" : name;
    var value = fields[name];
    return typeof value === "object" ? encode(value, key) : encodeURIComponent(key) + "=" + encodeURIComponent(value);
  }).filter(Boolean).join("&");
}

function wait(ms) {
  return new Promise(function (resolve) { setTimeout(resolve, ms); });
}

// Makes one API call. Resolves to {ok, status, body}. Status 0 means that no response arrived.
function call(context, method, path, fields) {
  var headers = { authorization: "Bearer " + context.key };
  if (context.account) headers["stripe-account"] = context.account;
  var form = encode(fields || {});
  var options = { method: method, headers: headers, credentials: "omit" };
  if (method === "POST") {
    headers["content-type"] = "application/x-www-form-urlencoded";
    // Browsers repeat a request on a new connection when a reused connection was closed. The key
    // makes this safe.
    headers["idempotency-key"] = "js_" + Date.now().toString(36) + Math.random().toString(36).slice(2);
    options.body = form;
  }
  return fetch(API + path + (method === "GET" && form ? "?" + form : ""), options).then(function (answer) {
    return answer.json().then(function (body) { return { ok: answer.ok, status: answer.status, body: body }; });
  }).catch(function () { return { ok: false, status: 0, body: {} }; });
}

function isTransient(answer) { return answer.status === 0 || answer.status === 429 || answer.status >= 500; }

function errorOf(answer) {
  if (answer.status === 0) return { type: "api_connection_error", message: CONNECTION };
  return answer.body.error || { type: "api_error", message: "An unexpected error occurred." };
}

// Repeats an API call until a response arrives. Only for calls without a lasting effect.
function insist(context, method, path, fields, attempt) {
  var tried = attempt || 1;
  return call(context, method, path, fields).then(function (answer) {
    if (!isTransient(answer) || tried >= ATTEMPTS_MAX) return answer;
    return wait(200 * Math.pow(2, tried)).then(function () { return insist(context, method, path, fields, tried + 1); });
  });
}

function idOf(clientSecret) {
  var match = /^(pi_[A-Za-z0-9]+)_secret_/.exec(String(clientSecret));
  if (!match) throw IntegrationError("Invalid value for clientSecret: " + clientSecret + " should have the form pi_…_secret_…");
  return match[1];
}

function retrieve(context, clientSecret) {
  return insist(context, "GET", "payment_intents/" + idOf(clientSecret), { client_secret: clientSecret });
}

// Confirms or authenticates a payment. If no response arrives, reads the intent's status before
// another attempt.
function step(context, clientSecret, verb, fields, attempt) {
  var tried = attempt || 1;
  var path = "payment_intents/" + idOf(clientSecret) + "/" + verb;
  fields.client_secret = clientSecret;
  return call(context, "POST", path, fields).then(function (answer) {
    if (!isTransient(answer) || tried >= ATTEMPTS_MAX) return answer;
    return wait(200 * Math.pow(2, tried)).then(function () { return retrieve(context, clientSecret); }).then(function (seen) {
      var status = seen.ok && seen.body.status;
      var isDone = status === "requires_capture" || status === "succeeded" || status === "canceled" ||
        (status === "requires_action" && verb === "confirm");
      return isDone ? seen : step(context, clientSecret, verb, fields, tried + 1);
    });
  });
}
