// Part 9: the `Stripe` object that the page uses.

function Stripe(key, options) {
  if (!/^pk_/.test(String(key))) throw IntegrationError("Missing value for Stripe(): apiKey should be a publishable key (pk_…).");
  if (/_live_/.test(key)) throw IntegrationError("This is the sandbox's stripe.js: it takes no live keys.");
  checkOptions("Stripe()", "Stripe()", options);
  var context = { key: key, account: (options || {}).stripeAccount };

  // Converts a response about an intent into the caller's result. If the intent requires it, shows
  // the bank's 3-D Secure challenge first.
  function settle(answer, clientSecret, owner, sheet, isHandling) {
    if (!answer.ok) return { error: errorOf(answer) };
    var intent = answer.body;
    if (intent.status !== "requires_action" || !isHandling) return outcome(intent);
    if (sheet) sheet.hide();
    return challenge(owner, intent).then(function (said) {
      return step(context, clientSecret, "authenticate", { outcome: said });
    }).then(function (authenticated) {
      return authenticated.ok ? outcome(authenticated.body) : { error: errorOf(authenticated) };
    });
  }

  function outcome(intent) {
    var failure = intent.status === "requires_payment_method" && intent.last_payment_error;
    if (!failure) return { paymentIntent: intent };
    var error = { payment_intent: intent };
    Object.keys(failure).forEach(function (name) { error[name] = failure[name]; });
    return { error: error };
  }

  // Compares the amount, currency and capture method that the elements were created with to those
  // of the intent. Stripe refuses a difference too, because the buyer would see another amount than
  // is charged.
  function mismatch(group, intent) {
    var wanted = group.options;
    if (wanted.mode !== "payment") return null;
    var differs = function (name, ours, theirs) {
      return { type: "invalid_request_error", code: "payment_intent_incompatible_payment_method",
        message: "Your payment was not processed: the PaymentIntent's " + name + " (" + theirs + ") does not match what was passed to Elements (" + ours + ")." };
    };
    if (wanted.amount !== intent.amount) return differs("amount", wanted.amount, intent.amount);
    if (wanted.currency !== intent.currency) return differs("currency", wanted.currency, intent.currency);
    var capture = wanted.captureMethod || "automatic";
    if (capture !== intent.capture_method) return differs("capture_method", capture, intent.capture_method);
    return null;
  }

  function finish(sheet) {
    return function (result) {
      if (sheet && result.error) sheet.fail(result.error.message || "Payment not completed.");
      else if (sheet) sheet.succeed();
      return result;
    };
  }

  function billed(method, details) {
    var billing = method.billing_details || {};
    Object.keys(details || {}).forEach(function (name) { billing[name] = details[name]; });
    method.billing_details = billing;
    return method;
  }

  function confirmPayment(asked) {
    checkOptions("stripe.confirmPayment()", "stripe.confirmPayment()", asked);
    var group = asked.elements;
    var clientSecret = asked.clientSecret || (group && group.options.clientSecret);
    var params = asked.confirmParams || {};
    var details = (params.payment_method_data || {}).billing_details;
    if (group && group.options.mode && !group.submitted) {
      throw IntegrationError("elements.submit() must be called before stripe.confirmPayment().");
    }
    var from = group ? group.method() : {};
    if (from.error) return { error: from.error };
    checkBillingDetails(from.owner, details, "stripe.confirmPayment()", "confirmParams.payment_method_data.billing_details");
    var fields = from.method
      ? { payment_method_data: billed(from.method, details), return_url: params.return_url }
      : { payment_method: params.payment_method, confirmation_token: params.confirmation_token, return_url: params.return_url };
    return retrieve(context, clientSecret).then(function (seen) {
      if (!seen.ok) return { error: errorOf(seen) };
      var refused = group && mismatch(group, seen.body);
      if (refused) return { error: refused };
      return step(context, clientSecret, "confirm", fields).then(function (answer) {
        return settle(answer, clientSecret, from.owner, from.sheet, true);
      });
    }).then(finish(from.sheet)).then(function (result) {
      if (result.error || asked.redirect === "if_required") return result;
      location.assign(returnAddress(params.return_url, result.paymentIntent));
      return new Promise(function () {});
    });
  }

  function returnAddress(address, intent) {
    if (!address) throw IntegrationError("stripe.confirmPayment() needs confirmParams.return_url.");
    return address + (address.indexOf("?") < 0 ? "?" : "&") + encode({ payment_intent: intent.id,
      payment_intent_client_secret: intent.client_secret, redirect_status: "succeeded" });
  }

  function confirmCardPayment(clientSecret, data, settings) {
    var wanted = (data || {}).payment_method;
    var fields = { receipt_email: (data || {}).receipt_email };
    var owner = null;
    if (typeof wanted === "string") fields.payment_method = wanted;
    else if (wanted && wanted.card && wanted.card.token) fields.payment_method_data = billed({ type: "card", card: { token: wanted.card.token } }, wanted.billing_details);
    else if (wanted) {
      var from = methodOf(wanted.card);
      if (from.error) return { error: from.error };
      owner = from.owner;
      fields.payment_method_data = billed(from.method, wanted.billing_details);
    }
    return step(context, clientSecret, "confirm", fields).then(function (answer) {
      return settle(answer, clientSecret, owner, null, !settings || settings.handleActions !== false);
    });
  }

  function createPaymentMethod(asked) {
    checkOptions("stripe.createPaymentMethod() with " + (asked.elements ? "elements" : "card"), "stripe.createPaymentMethod()", asked);
    if (asked.elements && asked.elements.options.paymentMethodCreation !== "manual") {
      throw IntegrationError("In order to call stripe.createPaymentMethod() with elements, you must pass paymentMethodCreation: 'manual' " +
        "when creating the Elements group.");
    }
    var from = asked.elements ? asked.elements.method() : methodOf(asked.card);
    if (from.error) return { error: from.error };
    var details = asked.elements ? (asked.params || {}).billing_details : asked.billing_details;
    return insist(context, "POST", "payment_methods", billed(from.method, details)).then(function (answer) {
      return answer.ok ? { paymentMethod: answer.body } : { error: errorOf(answer) };
    }).then(finish(from.sheet));
  }

  // Collects the payment details of a group in a token, with which the server confirms one intent.
  function createConfirmationToken(asked) {
    checkOptions("stripe.createConfirmationToken()", "stripe.createConfirmationToken()", asked);
    var group = asked.elements;
    var params = asked.params || {};
    var details = (params.payment_method_data || {}).billing_details;
    if (!group.submitted) throw IntegrationError("elements.submit() must be called before stripe.createConfirmationToken().");
    var from = group.method();
    if (from.error) return { error: from.error };
    checkBillingDetails(from.owner, details, "stripe.createConfirmationToken()", "params.payment_method_data.billing_details");
    var shown = group.options;
    return insist(context, "POST", "confirmation_tokens", {
      payment_method_data: billed(from.method, details), return_url: params.return_url,
      client_context: { mode: shown.mode, amount: shown.amount, currency: shown.currency,
        capture_method: shown.mode && (shown.captureMethod || shown.capture_method || "automatic") }
    }).then(function (answer) {
      return answer.ok ? { confirmationToken: answer.body } : { error: errorOf(answer) };
    }).then(finish(from.sheet));
  }

  // A page that turned off a billing field of the payment element must pass its value.
  function checkBillingDetails(owner, details, call, place) {
    var fields = owner && owner._elementType === "payment" && (owner.options.fields || {}).billingDetails;
    ["name", "email", "phone"].forEach(function (name) {
      var mode = fields === "never" ? "never" : (fields || {})[name];
      if (mode !== "never" || (details || {})[name] !== undefined) return;
      throw IntegrationError("You specified \"never\" for fields.billing_details." + name + " when creating the payment Element, but did not pass " +
        place + "." + name + " when calling " + call + ".");
    });
  }

  function createToken(element, details) {
    var from = methodOf(element);
    if (from.error) return { error: from.error };
    return insist(context, "POST", "tokens", billed(from.method, { name: (details || {}).name })).then(function (answer) {
      return answer.ok ? { token: answer.body } : { error: errorOf(answer) };
    });
  }

  function handleNextAction(clientSecret) {
    return retrieve(context, clientSecret).then(function (seen) { return settle(seen, clientSecret, lastOwner(), null, true); });
  }

  function retrievePaymentIntent(clientSecret) {
    return retrieve(context, clientSecret).then(function (seen) {
      return seen.ok ? { paymentIntent: seen.body } : { error: errorOf(seen) };
    });
  }

  // Returns a mounted element, if there is one. The 3-D Secure dialog opens beside it.
  var groups = [];
  function lastOwner() {
    var owners = [];
    groups.forEach(function (group) { Object.keys(group.made).forEach(function (type) { owners.push(group.made[type]); }); });
    return owners.filter(function (owner) { return owner.host && owner.host.isConnected; })[0] || null;
  }

  // Turns an exception for a wrong call into a rejected promise, because callers expect a promise.
  function promised(act) {
    return function () {
      var given = arguments;
      return new Promise(function (resolve) { resolve(act.apply(null, given)); });
    };
  }

  return {
    elements: function (given) { var group = new Elements(given, context); groups.push(group); return group; },
    confirmPayment: promised(confirmPayment),
    confirmCardPayment: promised(confirmCardPayment),
    createPaymentMethod: promised(createPaymentMethod),
    createConfirmationToken: promised(createConfirmationToken),
    createToken: promised(createToken),
    handleNextAction: promised(function (asked) {
      checkOptions("stripe.handleNextAction()", "stripe.handleNextAction()", asked);
      return handleNextAction(asked.clientSecret);
    }),
    handleCardAction: promised(handleNextAction),
    retrievePaymentIntent: promised(retrievePaymentIntent),
    _registerWrapper: function () {},
    registerAppInfo: function () {},
    _apiKey: key
  };
}

Stripe.version = "endive";
window.Stripe = Stripe;
