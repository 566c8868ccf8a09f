"""Uses the stand-in through Stripe's official Python library: every call of the product, paging,
idempotency, classes of errors, and webhooks signed by the stand-in.

    python3 python_client.py PROGRAM    PROGRAM is the example `clients` of the crate `sandbox`
"""

import http.server
import queue
import subprocess
import sys
import threading
import traceback
import urllib.parse
import urllib.request
import uuid

import stripe

SECRET = "whsec_clients"
EXPAND = ["latest_charge.balance_transaction", "latest_charge.application_fee"]
events = queue.Queue()


class Listener(http.server.BaseHTTPRequestHandler):
    """Receives the stand-in's events."""

    def do_POST(self):
        raw = self.rfile.read(int(self.headers["content-length"])).decode()
        events.put((raw, self.headers["stripe-signature"]))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def client_of(key, base):
    return stripe.StripeClient(
        key,
        base_addresses={"api": f"{base}/sandbox/stripe"},
        max_network_retries=0,
        http_client=stripe.RequestsClient(),
    )


def refusal(kind, call, **fields):
    try:
        call()
    except stripe.StripeError as error:
        assert type(error) is kind, f"{type(error)} instead of {kind}: {error}"
        for name, value in fields.items():
            assert getattr(error, name) == value, f"{name}: {getattr(error, name)!r}, {error}"
        return error
    raise AssertionError(f"{kind} was expected")


def onboarded_account(client):
    refusal(
        stripe.InvalidRequestError,
        lambda: client.v1.accounts.create({"country": "AU"}),
    )
    created = client.v2.core.accounts.create(
        {
            "contact_email": "treasurer@club.example",
            "dashboard": "full",
            "identity": {"country": "AU"},
            "configuration": {
                "merchant": {"capabilities": {"card_payments": {"requested": True}}}
            },
            "defaults": {
                "responsibilities": {
                    "fees_collector": "stripe",
                    "losses_collector": "stripe",
                }
            },
        },
        {"idempotency_key": str(uuid.uuid4())},
    )
    link = client.v2.core.account_links.create(
        {
            "account": created.id,
            "use_case": {
                "type": "account_onboarding",
                "account_onboarding": {
                    "refresh_url": "https://club.example/refresh",
                    "return_url": "https://club.example/return",
                },
            },
        }
    )
    token = urllib.parse.parse_qs(urllib.parse.urlparse(link.url).query)["link"][0]
    form = urllib.parse.urlencode({"link": token}).encode()
    try:
        urllib.request.build_opener(NoRedirect).open(link.url, form)
    except urllib.error.HTTPError as answer:
        assert answer.code in (302, 303), answer
    assert client.v1.accounts.retrieve(created.id).charges_enabled
    return created.id


class Suite:
    def __init__(self, base):
        self.base = base
        self.client = client_of("sk_test_clients", base)
        self.account = onboarded_account(self.client)
        self.options = {"stripe_account": self.account}

    def create(self, options=None, **fields):
        params = {
            "amount": 1500,
            "currency": "aud",
            "capture_method": "manual",
            "allowed_payment_method_types": ["card"],
            "metadata": {"football_doubles_order": str(uuid.uuid4())},
            **fields,
        }
        return self.client.v1.payment_intents.create(params, {**self.options, **(options or {})})

    def test_purchase_is_captured_with_fee_and_refunded(self):
        intents = self.client.v1.payment_intents
        intent = self.create()
        assert intents.update(intent.id, {"amount": 2000}, self.options).amount == 2000
        held = intents.confirm(
            intent.id, {"payment_method": "pm_card_visa", "use_stripe_sdk": True}, self.options
        )
        assert held.status == "requires_capture"
        captured = intents.capture(
            intent.id, {"application_fee_amount": 140, "expand": EXPAND}, self.options
        )
        charge = captured.latest_charge
        assert (captured.status, charge.application_fee.amount) == ("succeeded", 140)
        refund = self.client.v1.refunds.create(
            {"payment_intent": intent.id, "amount": 500},
            {**self.options, "idempotency_key": str(uuid.uuid4())},
        )
        assert refund.amount == 500
        self.client.v1.application_fees.refunds.create(charge.application_fee.id, {"amount": 40})
        read = intents.retrieve(intent.id, {"expand": EXPAND}, self.options)
        assert read.latest_charge.amount_refunded == 500
        assert read.latest_charge.application_fee.amount_refunded == 40

    def test_authorisation_is_cancelled(self):
        intent = self.create(confirm=True, payment_method="pm_card_visa")
        cancelled = self.client.v1.payment_intents.cancel(
            intent.id, {"expand": EXPAND}, self.options
        )
        assert (cancelled.status, cancelled.latest_charge.refunded) == ("canceled", True)

    def test_list_is_paged_through(self):
        order = str(uuid.uuid4())
        made = [self.create(metadata={"football_doubles_order": order}).id for _ in range(5)]
        page = self.client.v1.payment_intents.list({"limit": 2}, self.options)
        seen = [
            intent.id
            for intent in page.auto_paging_iter()
            if intent.metadata.to_dict().get("football_doubles_order") == order
        ]
        assert seen == made[::-1], seen

    def test_idempotent_request_is_replayed(self):
        key = {"idempotency_key": str(uuid.uuid4())}
        first = self.create(key, metadata={"a": "b"})
        again = self.create(key, metadata={"a": "b"})
        assert again.id == first.id
        assert again.last_response.headers["idempotent-replayed"] == "true"
        refusal(
            stripe.IdempotencyError, lambda: self.create(key, metadata={"a": "b"}, amount=1600)
        )

    def test_errors_have_their_classes(self):
        declined = refusal(
            stripe.CardError,
            lambda: self.create(confirm=True, payment_method="pm_card_chargeDeclined"),
            code="card_declined",
            http_status=402,
        )
        assert declined.error.decline_code == "generic_decline"
        invalid = stripe.InvalidRequestError
        refusal(
            invalid,
            lambda: self.create(colour="red"),
            code="parameter_unknown",
            param="colour",
        )
        refusal(invalid, lambda: self.create(capture_method="later"), param="capture_method")
        refusal(invalid, lambda: self.create(metadata={"k": "v" * 501}), http_status=400)
        refusal(
            invalid,
            lambda: self.client.v1.refunds.retrieve("re_unknown", options=self.options),
            code="resource_missing",
            http_status=404,
        )
        forbidden = refusal(
            stripe.PermissionError,
            lambda: self.create({"stripe_account": "acct_unknown"}),
            http_status=403,
        )
        assert forbidden.error.code == "account_invalid"
        wrong = client_of("sk_live_clients", self.base)
        refusal(stripe.AuthenticationError, lambda: wrong.v1.balance.retrieve(), http_status=401)

    def test_events_of_the_stand_in_are_verified(self):
        intent = self.create()
        while True:
            raw, signature = events.get(timeout=10)
            event = stripe.Webhook.construct_event(raw, signature, SECRET)
            if event.type == "payment_intent.created" and event.data.object["id"] == intent.id:
                break
        assert event.account == self.account
        for body, secret in ((raw + " ", SECRET), (raw, "whsec_other")):
            try:
                stripe.Webhook.construct_event(body, signature, secret)
            except stripe.SignatureVerificationError:
                continue
            raise AssertionError("a wrong signature was accepted")


def main():
    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    webhook = f"http://127.0.0.1:{listener.server_port}/hook"
    program = subprocess.Popen(
        [sys.argv[1], webhook, SECRET], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    failures = 0
    try:
        suite = Suite(program.stdout.readline().strip())
        for name in [name for name in dir(suite) if name.startswith("test_")]:
            try:
                getattr(suite, name)()
                print(f"ok   {name}")
            except Exception:
                failures += 1
                print(f"FAIL {name}\n{traceback.format_exc()}", file=sys.stderr)
    finally:
        program.kill()
        program.wait()
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
