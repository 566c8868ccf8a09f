// Part 4: the three inputs of a card. The payment element and the card element use them.

var fieldCount = 0;

function CardFields(changed) {
  this.changed = changed;
  this.brand = "unknown";
  this.inputs = {
    number: this.input("number", "Card number", "1234 1234 1234 1234", "cc-number", 23),
    expiry: this.input("expiry", "Expiry date", "MM / YY", "cc-exp", 9),
    cvc: this.input("cvc", "Security code", "CVC", "cc-csc", 4)
  };
  this.problems = { number: null, expiry: null, cvc: null };
  this.mark = make("span", { "class": "brand" }, [brandMark("unknown")]);
}

CardFields.NAMES = ["number", "expiry", "cvc"];

CardFields.prototype.input = function (name, label, placeholder, autocomplete, length) {
  var self = this;
  fieldCount += 1;
  var id = "stripe-" + name + "-" + fieldCount;
  var input = make("input", {
    id: id, name: name, type: "text", "class": name, inputmode: "numeric", autocomplete: autocomplete, placeholder: placeholder,
    maxlength: length, autocorrect: "off", spellcheck: "false", "aria-describedby": id + "-error", "aria-required": "true"
  });
  input.labelText = label;
  input.addEventListener("input", function (event) { self.typed(name, event); });
  input.addEventListener("blur", function () { if (input.value) self.validate(name); });
  input.addEventListener("keydown", function (event) {
    if (event.key === "Backspace" && !input.value && name !== "number") self.inputs[name === "cvc" ? "expiry" : "number"].focus();
    if (event.key === "Enter") self.submitForm(input);
  });
  return input;
};

// The Enter key submits the page's form, as in Stripe's own fields.
CardFields.prototype.submitForm = function (input) {
  var host = input.getRootNode().host;
  var form = host && host.closest("form");
  if (form && form.requestSubmit) form.requestSubmit();
};

CardFields.prototype.typed = function (name, event) {
  var input = this.inputs[name];
  var before = input.value;
  var isDeleting = Boolean(event.inputType && event.inputType.indexOf("delete") === 0);
  var digitsBeforeCaret = digits(before.slice(0, input.selectionStart)).length;
  var isAtEnd = input.selectionStart === before.length;
  if (name === "number") {
    this.setBrand(brandOf(digits(before)));
    input.value = grouped(digits(before).slice(0, lengthOf(this.brand)));
  } else if (name === "expiry") {
    input.value = formattedExpiry(before, isDeleting);
  } else {
    input.value = digits(before).slice(0, cvcLengthOf(this.brand));
  }
  if (input.value !== before && !isAtEnd) this.restoreCaret(input, digitsBeforeCaret);
  this.show(name, null);
  this.report();
  if (isAtEnd && !isDeleting && input === input.getRootNode().activeElement) this.advance(name);
};

CardFields.prototype.restoreCaret = function (input, count) {
  var at = 0;
  while (count > 0 && at < input.value.length) {
    if (/\d/.test(input.value.charAt(at))) count -= 1;
    at += 1;
  }
  input.setSelectionRange(at, at);
};

// Moves the focus to the next field once this field is complete and valid.
CardFields.prototype.advance = function (name) {
  var next = { number: "expiry", expiry: "cvc" }[name];
  if (!next || this.problemOf(name)) return;
  this.inputs[next].focus();
};

CardFields.prototype.setBrand = function (brand) {
  if (brand === this.brand) return;
  this.brand = brand;
  this.mark.textContent = "";
  this.mark.appendChild(brandMark(brand));
};

CardFields.prototype.problemOf = function (name) {
  var text = this.inputs[name].value;
  if (name === "number") return numberProblem(text);
  return name === "expiry" ? expiryProblem(text) : cvcProblem(text, this.brand);
};

// Shows a field's error, or removes it.
CardFields.prototype.show = function (name, found) {
  var input = this.inputs[name];
  this.problems[name] = found;
  if (found) input.setAttribute("aria-invalid", "true"); else input.removeAttribute("aria-invalid");
  var box = input.parentNode;
  if (box && box.classList.contains("box")) box.classList.toggle("bad", Boolean(found));
  var place = input.getRootNode().getElementById && input.getRootNode().getElementById(input.id + "-error");
  if (place) place.textContent = found ? found.message : "";
};

CardFields.prototype.validate = function (name) {
  this.show(name, this.problemOf(name));
  this.report();
};

// Validates all fields, shows every error and focuses the first invalid field. Returns the first
// error.
CardFields.prototype.check = function () {
  var self = this;
  var first = null;
  CardFields.NAMES.forEach(function (name) {
    var found = self.problemOf(name);
    self.show(name, found);
    if (found && !first) { first = found; self.inputs[name].focus(); }
  });
  this.report();
  return first;
};

CardFields.prototype.state = function () {
  var self = this;
  var shown = CardFields.NAMES.map(function (name) { return self.problems[name]; }).filter(Boolean)[0];
  return {
    complete: CardFields.NAMES.every(function (name) { return !self.problemOf(name); }),
    empty: CardFields.NAMES.every(function (name) { return !self.inputs[name].value; }),
    error: shown, brand: this.brand
  };
};

CardFields.prototype.report = function () { this.changed(this.state()); };

CardFields.prototype.clear = function () {
  var self = this;
  CardFields.NAMES.forEach(function (name) { self.inputs[name].value = ""; self.show(name, null); });
  this.setBrand("unknown");
  this.report();
};

CardFields.prototype.disable = function (isDisabled) {
  var self = this;
  CardFields.NAMES.forEach(function (name) { self.inputs[name].disabled = isDisabled; });
};

// Returns the card's data for the API.
CardFields.prototype.card = function () {
  var expiry = expiryParts(this.inputs.expiry.value);
  return { number: digits(this.inputs.number.value), exp_month: expiry.month, exp_year: expiry.year, cvc: this.inputs.cvc.value };
};
