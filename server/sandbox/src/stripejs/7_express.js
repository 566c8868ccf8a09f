// Part 7: the express checkout element, and the dialog that simulates the sheet of Apple Pay or
// Google Pay.

var CLICK_ANSWER_MS = 1000;
var CONFIRM_ANSWER_MS = 30000;
var WALLETS = {
  apple_pay: { option: "applePay", name: "Apple Pay", mark: appleMark },
  google_pay: { option: "googlePay", name: "Google Pay", mark: googleMark }
};
var WALLET_CARDS = [
  ["4242424242424242", "Visa •••• 4242"], ["5555555555554444", "Mastercard •••• 4444"],
  ["4000000000000002", "Visa •••• 0002 (declined)"], ["4000000000009995", "Visa •••• 9995 (insufficient funds)"],
  ["4000000000003220", "Visa •••• 3220 (3-D Secure)"]
];

function isApple() {
  var agent = navigator.userAgent;
  return /iPhone|iPad|iPod/.test(agent) || (/Macintosh/.test(agent) && /Safari\//.test(agent) && !/Chrom|Firefox|Edg/.test(agent));
}

function ExpressCheckoutElement(options, group) {
  Element.call(this, "expressCheckout", options, group);
  this.allowed = {};
}
ExpressCheckoutElement.prototype = Object.create(Element.prototype);

ExpressCheckoutElement.prototype.offered = function () {
  var allowed = this.allowed;
  var wanted = this.options.paymentMethods || {};
  return Object.keys(WALLETS).filter(function (wallet) {
    var wish = wanted[WALLETS[wallet].option] || "auto";
    if (!allowed[wallet]) return false;
    return wish === "always" || (wish === "auto" && (wallet === "apple_pay") === isApple());
  });
};

ExpressCheckoutElement.prototype.build = function (root) {
  this.place = make("div", { "class": "pays" });
  root.appendChild(this.place);
  this.changed();
};

ExpressCheckoutElement.prototype.changed = function () {
  var self = this;
  this.place.textContent = "";
  this.offered().forEach(function (wallet) {
    var type = (self.options.buttonType || {})[WALLETS[wallet].option] || "plain";
    var verb = { buy: "Buy with ", book: "Book with ", checkout: "Check out with ", donate: "Donate with ", order: "Order with ", pay: "Pay with " }[type];
    var button = make("button", { type: "button", "class": "pay", "aria-label": (verb || "Pay with ") + WALLETS[wallet].name },
      [verb || "", WALLETS[wallet].mark(), " Pay"]);
    button.style.minHeight = (self.options.buttonHeight || 48) + "px";
    button.addEventListener("click", function () { self.clicked(wallet); });
    self.place.appendChild(button);
  });
};

// Wallets appear only on a registered domain of the account. Loopback addresses need none, as in
// Stripe's test mode.
ExpressCheckoutElement.prototype.ready = function () {
  var self = this;
  if (/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(location.hostname)) {
    return self.readyWith({ apple_pay: true, google_pay: true });
  }
  insist(this.group.context, "GET", "elements/sessions", { host: location.hostname }).then(function (answer) {
    if (answer.ok) self.readyWith(answer.body);
    else self.emit("loaderror", { elementType: "expressCheckout", error: errorOf(answer) });
  });
};

ExpressCheckoutElement.prototype.readyWith = function (allowed) {
  this.allowed = allowed;
  if (this.host) this.changed();
  var offered = this.offered();
  var available = offered.length ? { applePay: false, googlePay: false, link: false, paypal: false, amazonPay: false, klarna: false } : undefined;
  offered.forEach(function (wallet) { available[WALLETS[wallet].option] = true; });
  this.emit("ready", { elementType: "expressCheckout", availablePaymentMethods: available });
  this.emit("availablepaymentmethodschange", { elementType: "expressCheckout", paymentMethods: available });
};

// Emits the click event. The page has one second to answer which details the sheet should request.
ExpressCheckoutElement.prototype.clicked = function (wallet) {
  var self = this;
  if (this.sheet) return;
  var isAnswered = false;
  var timer = setTimeout(function () {
    if (!isAnswered) console.error("IntegrationError: the click event of the expressCheckout Element must be resolved within 1 second.");
    isAnswered = true;
  }, CLICK_ANSWER_MS);
  var answer = function (act) {
    return function (details) {
      if (isAnswered) return;
      isAnswered = true;
      clearTimeout(timer);
      act(details || {});
    };
  };
  var event = {
    elementType: "expressCheckout", expressPaymentType: wallet,
    resolve: answer(function (details) {
      checkOptions("click event.resolve()", "event.resolve()", details);
      self.open(wallet, details);
    }), reject: answer(function () {})
  };
  if (this.hears("click")) this.emit("click", event);
  else event.resolve();
};

ExpressCheckoutElement.prototype.open = function (wallet, details) {
  var asks = function (name) { return details[name] !== undefined ? details[name] : this.options[name]; }.bind(this);
  this.sheet = new Sheet(this, wallet, {
    email: Boolean(asks("emailRequired")), phone: Boolean(asks("phoneNumberRequired")),
    items: details.lineItems || this.options.lineItems || [], business: (asks("business") || {}).name
  });
};

// Returns the payment method of the open sheet. The page confirms the payment with it while the
// sheet is open.
ExpressCheckoutElement.prototype.method = function () {
  return this.sheet && this.sheet.isConfirming ? this.sheet.method() : null;
};

function Sheet(element, wallet, asked) {
  this.element = element;
  this.wallet = wallet;
  this.isConfirming = false;
  var group = element.group.options;
  var name = WALLETS[wallet].name;
  var pay = make("button", { "class": "btn", type: "submit" }, ["Confirm payment"]);
  var cancel = make("button", { "class": "text", type: "button" }, ["Cancel"]);
  this.pay = pay;
  this.cancel = cancel;
  this.inputs = {
    card: this.choice(),
    name: make("input", { id: "payer-name", autocomplete: "name", value: "Alex Taylor", required: "" }),
    email: asked.email && make("input", { id: "payer-email", type: "email", autocomplete: "email", value: "alex.taylor@example.com", required: "" }),
    phone: asked.phone && make("input", { id: "payer-phone", type: "tel", autocomplete: "tel", value: "+61 400 000 000", required: "" })
  };
  this.status = make("p", { "class": "status", role: "status" });
  var form = make("form", { "class": "inside" }, [
    make("div", { "class": "head" }, [
      make("h2", { id: "sheet-title", "aria-label": name }, [WALLETS[wallet].mark(), "Pay"]), cancel]),
    make("p", { "class": "note" }, ["Sandbox: no real wallet, no real money."]),
    this.labelled("Card", this.inputs.card), this.labelled("Name", this.inputs.name),
    this.labelled("Email", this.inputs.email), this.labelled("Phone", this.inputs.phone),
    asked.items.length ? make("ul", { "class": "items" }, asked.items.map(function (item) {
      return make("li", {}, [make("span", {}, [item.name]), make("span", {}, [money(item.amount, group.currency)])]);
    })) : null,
    make("div", { "class": "total" }, [make("span", {}, ["Pay " + (asked.business || "the club")]), make("strong", {}, [money(group.amount, group.currency)])]),
    this.status, pay
  ]);
  this.entry = openDialog(element, "sheet", "sheet-title", [form]);
  keepAlive(this.entry);
  this.listen(form);
  pay.focus();
}

Sheet.prototype.choice = function () {
  return make("select", { id: "wallet-card" }, WALLET_CARDS.map(function (card) { return make("option", { value: card[0] }, [card[1]]); }));
};

Sheet.prototype.labelled = function (label, input) {
  return input && make("div", {}, [make("label", { "for": input.id }, [label]), make("div", { "class": "box" }, [input])]);
};

Sheet.prototype.listen = function (form) {
  var self = this;
  var giveUp = function (event) {
    event.preventDefault();
    if (self.isConfirming || self.element.sheet !== self) return;
    self.close();
    self.element.emit("cancel", { elementType: "expressCheckout" });
  };
  this.cancel.addEventListener("click", giveUp);
  this.entry.dialog.addEventListener("cancel", giveUp);
  // Some browsers close a dialog without a cancel event.
  this.entry.dialog.addEventListener("close", function (event) { if (!self.entry.dialog.open) giveUp(event); });
  form.addEventListener("submit", function (event) {
    event.preventDefault();
    if (!self.isConfirming) self.confirm();
  });
};

Sheet.prototype.billing = function () {
  return {
    name: this.inputs.name.value, email: this.inputs.email ? this.inputs.email.value : undefined,
    phone: this.inputs.phone ? this.inputs.phone.value : undefined,
    address: { country: "AU", postal_code: "4000", line1: "", line2: null, city: "", state: "" }
  };
};

Sheet.prototype.method = function () {
  return { type: "card", billing_details: this.billing(),
    card: { number: this.inputs.card.value, exp_month: 12, exp_year: 2034, cvc: "123", wallet: { type: this.wallet } } };
};

Sheet.prototype.confirm = function () {
  var self = this;
  if (!this.element.hears("confirm")) {
    this.close();
    throw IntegrationError("The expressCheckout Element needs a handler of its confirm event.");
  }
  this.isConfirming = true;
  this.busy(true);
  this.say("Processing…", "");
  this.timer = setTimeout(function () { self.fail("The page did not answer in time."); }, CONFIRM_ANSWER_MS);
  this.element.emit("confirm", {
    elementType: "expressCheckout", expressPaymentType: this.wallet, billingDetails: this.billing(),
    paymentFailed: function () { self.fail("Payment not completed."); }
  });
};

Sheet.prototype.busy = function (isBusy) { this.pay.disabled = isBusy; this.cancel.disabled = isBusy; };
Sheet.prototype.say = function (text, tone) { this.status.className = "status " + tone; this.status.textContent = text; };

// Hides the sheet while the bank's 3-D Secure challenge is shown.
Sheet.prototype.hide = function () { if (this.entry.dialog.open) this.entry.dialog.close(); clearTimeout(this.timer); };

Sheet.prototype.fail = function (message) {
  if (!this.isConfirming) return;
  clearTimeout(this.timer);
  this.isConfirming = false;
  if (!this.entry.dialog.open) return this.close();
  this.busy(false);
  this.say(message, "bad");
};

Sheet.prototype.succeed = function () {
  var self = this;
  if (!this.isConfirming) return;
  clearTimeout(this.timer);
  this.isConfirming = false;
  if (!this.entry.dialog.open) return this.close();
  this.say("Done", "ok");
  setTimeout(function () { self.close(); }, 350);
};

Sheet.prototype.close = function () {
  clearTimeout(this.timer);
  closeDialog(this.entry);
  this.element.sheet = null;
};
