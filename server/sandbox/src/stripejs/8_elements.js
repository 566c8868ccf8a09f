// Part 8: a group of elements, created with an intent or before one exists.

var KINDS = { payment: PaymentElement, card: CardElement, expressCheckout: ExpressCheckoutElement };

function Elements(options, context) {
  Emitter.call(this);
  checkElementsOptions(options);
  this.context = context;
  this.options = {};
  this.made = {};
  this.submitted = false;
  this.merge(options || {});
}
Elements.prototype = Object.create(Emitter.prototype);

Elements.prototype.merge = function (options) {
  var self = this;
  Object.keys(options).forEach(function (name) { self.options[name] = options[name]; });
};

Elements.prototype.create = function (type, options) {
  if (!KINDS[type]) throw IntegrationError("A valid Element name must be provided; the sandbox has card, payment and expressCheckout, not " + type + ".");
  if (this.made[type]) throw IntegrationError("Can only create one Element of type " + type + " through this Elements instance.");
  if (type !== "card" && !this.options.mode && !this.options.clientSecret) {
    throw IntegrationError("In order to create a " + type + " element, you must pass a clientSecret or mode when creating the Elements group.");
  }
  checkOptions("elements.create('" + type + "')", "elements.create('" + type + "')", options);
  this.made[type] = new KINDS[type](options, this);
  return this.made[type];
};

Elements.prototype.getElement = function (type) {
  if (typeof type === "function") type = type.__elementType || "";
  return this.made[type] || null;
};

Elements.prototype.forget = function (element) {
  if (this.made[element._elementType] === element) delete this.made[element._elementType];
};

Elements.prototype.update = function (options) {
  var self = this;
  checkOptions("elements.update()", "elements.update()", options);
  checkAmountAndCurrency("elements.update()", options || {});
  this.merge(options || {});
  Object.keys(this.made).forEach(function (type) {
    if (self.made[type].host) self.made[type].restyle();
  });
  setTimeout(function () { self.emit("update-end", {}); }, 0);
};

Elements.prototype.fetchUpdates = function () { return Promise.resolve({}); };

// Validates what the buyer typed. A wallet's sheet validates its own fields.
Elements.prototype.submit = function () {
  var express = this.made.expressCheckout;
  this.submitted = true;
  if (express && express.method()) return Promise.resolve({ selectedPaymentMethod: express.sheet.wallet });
  var element = this.made.payment || this.made.card;
  var found = element && element.fields.check();
  return Promise.resolve(found ? { error: found } : { selectedPaymentMethod: "card" });
};

// Returns the group's current payment method: that of the open sheet, otherwise the typed card.
// Returns {error} if the card is incomplete.
Elements.prototype.method = function () {
  var express = this.made.expressCheckout;
  var wallet = express && express.method();
  if (wallet) return { method: wallet, owner: express, sheet: express.sheet };
  var element = this.made.payment || this.made.card;
  if (!element) throw IntegrationError("There is no Element in this group that a payment could be made with.");
  return methodOf(element);
};

function methodOf(element) {
  if (!element.host || !element.host.isConnected) {
    throw IntegrationError("We could not retrieve data from the specified Element. Please make sure it is mounted.");
  }
  var found = element.fields.check();
  return found ? { error: found } : { method: { type: "card", card: element.fields.card() }, owner: element };
}
