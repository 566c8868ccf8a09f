// Part 5: the base of all elements, and the two elements with card fields.

function Element(type, options, group) {
  Emitter.call(this);
  this._elementType = type;
  this.options = Object.assign({}, options);
  this.group = group;
  this.host = null;
}
Element.prototype = Object.create(Emitter.prototype);

Element.prototype.mount = function (place) {
  var target = typeof place === "string" ? document.querySelector(place) : place;
  if (!target) throw IntegrationError("The selector or DOM element you passed to mount() does not exist: " + place);
  if (this.isDestroyed) throw IntegrationError("This Element has already been destroyed. Please create a new one.");
  var self = this;
  if (!this.host) {
    this.host = make("div", { "class": "__PrivateStripeElement" });
    var root = this.host.attachShadow({ mode: "open", delegatesFocus: true });
    styleRoot(root);
    this.build(root);
    root.addEventListener("focusin", function () { self.emit("focus", { elementType: self._elementType }); });
    root.addEventListener("focusout", function () { self.emit("blur", { elementType: self._elementType }); });
    root.addEventListener("keydown", function (event) {
      if (event.key === "Escape") self.emit("escape", { elementType: self._elementType });
    });
  }
  this.restyle();
  target.textContent = "";
  target.classList.add("StripeElement");
  target.appendChild(this.host);
  this.emit("loaderstart", { elementType: this._elementType });
  setTimeout(function () { if (self.host && self.host.isConnected) self.ready(); }, 0);
  return this;
};

Element.prototype.ready = function () { this.emit("ready", { elementType: this._elementType }); };
Element.prototype.restyle = function () { applyAppearance(this.host, this.group.options.appearance); };

Element.prototype.unmount = function () {
  rehome(this.host);
  if (this.host && this.host.parentNode) {
    this.host.parentNode.classList.remove("StripeElement");
    this.host.parentNode.removeChild(this.host);
  }
  return this;
};

Element.prototype.destroy = function () {
  this.unmount();
  this.isDestroyed = true;
  this.group.forget(this);
  return this;
};

Element.prototype.update = function (options) {
  var self = this;
  checkOptions(this._elementType + ".update()", "element.update()", options);
  Object.keys(options || {}).forEach(function (name) { self.options[name] = options[name]; });
  if (this.host) this.changed();
  return this;
};

Element.prototype.changed = function () {};
Element.prototype.focus = function () { if (this.fields) this.fields.inputs.number.focus(); return this; };
Element.prototype.blur = function () { if (this.host) this.host.blur(); return this; };
Element.prototype.clear = function () { if (this.fields) this.fields.clear(); return this; };
Element.prototype.collapse = function () { return this; };

// The payment element, for cards only: labelled fields, each with its error below it.
function PaymentElement(options, group) {
  Element.call(this, "payment", options, group);
  var self = this;
  this.fields = new CardFields(function (state) {
    self.emit("change", { elementType: "payment", complete: state.complete, empty: state.empty, collapsed: false, value: { type: "card" } });
  });
}
PaymentElement.prototype = Object.create(Element.prototype);

PaymentElement.prototype.build = function (root) {
  var fields = this.fields;
  var field = function (name, extra) {
    var input = fields.inputs[name];
    return make("div", { "class": name === "number" ? "wide" : "" }, [
      make("label", { "for": input.id }, [input.labelText]),
      make("div", { "class": "box" }, [input, extra]),
      make("p", { "class": "error", id: input.id + "-error", "aria-live": "polite" })
    ]);
  };
  root.appendChild(make("div", { "class": "fields", role: "group", "aria-label": "Card" },
    [field("number", fields.mark), field("expiry"), field("cvc")]));
  this.changed();
};

PaymentElement.prototype.changed = function () { this.fields.disable(Boolean(this.options.readOnly)); };

// The card element: one row of fields without a border. The page draws the border and shows the
// error.
function CardElement(options, group) {
  Element.call(this, "card", options, group);
  var self = this;
  this.fields = new CardFields(function (state) {
    var event = { elementType: "card", brand: state.brand, complete: state.complete, empty: state.empty,
      error: state.error || undefined, value: { postalCode: "" } };
    if (self.host && self.host.parentNode) self.dress(self.host.parentNode.classList, state);
    self.emit("change", event);
  });
}
CardElement.prototype = Object.create(Element.prototype);

CardElement.prototype.dress = function (classes, state) {
  classes.toggle("StripeElement--complete", state.complete);
  classes.toggle("StripeElement--empty", state.empty);
  classes.toggle("StripeElement--invalid", Boolean(state.error));
};

CardElement.prototype.build = function (root) {
  var fields = this.fields;
  // In a narrow row, expiry and security code move to a second line together.
  var tail = make("span", { "class": "tail" });
  var row = make("div", { "class": "row", role: "group", "aria-label": "Card" }, [this.options.hideIcon ? null : fields.mark]);
  CardFields.NAMES.forEach(function (name) {
    var input = fields.inputs[name];
    input.setAttribute("aria-label", input.labelText);
    (name === "number" ? row : tail).appendChild(input);
    root.appendChild(make("p", { "class": "sr", id: input.id + "-error", "aria-live": "polite" }));
  });
  row.appendChild(tail);
  root.insertBefore(row, root.firstChild);
  this.row = row;
  this.changed();
};

CardElement.prototype.changed = function () {
  var base = (this.options.style && this.options.style.base) || {};
  var row = this.row;
  ["color", "fontFamily", "fontSize", "fontWeight", "letterSpacing"].forEach(function (name) {
    if (base[name]) row.style[name] = base[name];
  });
  this.fields.disable(Boolean(this.options.disabled));
};
