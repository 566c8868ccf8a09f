// Uses the stand-in through Stripe's official Node library: every call of the product, paging,
// idempotency, classes of errors, and webhooks signed by either side.
//
//   node node-client.mjs PROGRAM    PROGRAM is the example `clients` of the crate `sandbox`
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import Stripe from 'stripe';

const SECRET = 'whsec_clients';
const received = [];
const waiting = [];

/** Receives the stand-in's events. Each must be signed. */
const listener = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const raw = Buffer.concat(chunks).toString('utf8');
    received.push({ raw, signature: request.headers['stripe-signature'] });
    for (const wake of waiting.splice(0)) wake();
    response.end();
  });
});
listener.listen(0, '127.0.0.1');
await once(listener, 'listening');

const [program] = process.argv.slice(2);
const webhook = `http://127.0.0.1:${listener.address().port}/hook`;
const child = spawn(program, [webhook, SECRET], { stdio: ['pipe', 'pipe', 'inherit'] });
const [base] = await once(createInterface({ input: child.stdout }), 'line');

/** Returns a client of the stand-in, which is below a path. */
function clientOf(key, settings = {}) {
  const { hostname, port } = new URL(base);
  const httpClient = Stripe.createNodeHttpClient();
  const send = httpClient.makeRequest.bind(httpClient);
  httpClient.makeRequest = (host, hostPort, path, ...rest) =>
    send(host, hostPort, `/sandbox/stripe${path}`, ...rest);
  return new Stripe(key, {
    host: hostname,
    port,
    protocol: 'http',
    httpClient,
    telemetry: false,
    maxNetworkRetries: 0,
    ...settings,
  });
}

const stripe = clientOf('sk_test_clients');

/** Waits for the event of a type about an object. */
async function eventOf(type, id) {
  for (;;) {
    for (const { raw, signature } of received) {
      const event = stripe.webhooks.constructEvent(raw, signature, SECRET);
      if (event.type === type && event.data.object.id === id) return { event, raw, signature };
    }
    await new Promise((wake) => waiting.push(wake));
  }
}

async function refusal(promise, type, fields = {}) {
  const error = await promise.then(
    () => assert.fail(`${type} was expected`),
    (caught) => caught,
  );
  assert.equal(error.constructor.name, type, error.stack);
  for (const [name, value] of Object.entries(fields)) assert.equal(error[name], value, error.stack);
  return error;
}

async function onboardedAccount() {
  await refusal(stripe.accounts.create({ country: 'AU' }), 'StripeInvalidRequestError');
  const created = await stripe.v2.core.accounts.create(
    {
      contact_email: 'treasurer@club.example',
      dashboard: 'full',
      identity: { country: 'AU' },
      configuration: { merchant: { capabilities: { card_payments: { requested: true } } } },
      defaults: { responsibilities: { fees_collector: 'stripe', losses_collector: 'stripe' } },
    },
    { idempotencyKey: randomUUID() },
  );
  assert.deepEqual(created.applied_configurations, ['merchant']);
  const link = await stripe.v2.core.accountLinks.create({
    account: created.id,
    use_case: {
      type: 'account_onboarding',
      account_onboarding: {
        refresh_url: 'https://club.example/refresh',
        return_url: 'https://club.example/return',
      },
    },
  });
  const form = new URLSearchParams({ link: new URL(link.url).searchParams.get('link') });
  const page = new URL(link.url);
  const done = await fetch(page, { method: 'POST', body: form, redirect: 'manual' });
  assert.ok(done.status < 400, `onboarding answers ${done.status}`);
  const account = await stripe.accounts.retrieve(created.id);
  assert.equal(account.charges_enabled, true);
  return account.id;
}

const stripeAccount = await onboardedAccount();
const create = (fields = {}, options = {}) =>
  stripe.paymentIntents.create(
    {
      amount: 1500,
      currency: 'aud',
      capture_method: 'manual',
      allowed_payment_method_types: ['card'],
      metadata: { football_doubles_order: randomUUID() },
      ...fields,
    },
    { stripeAccount, ...options },
  );
const EXPAND = ['latest_charge.balance_transaction', 'latest_charge.application_fee'];

const tests = {
  async purchase_is_captured_with_fee_and_refunded() {
    const { id } = await create();
    const updated = await stripe.paymentIntents.update(id, { amount: 2000 }, { stripeAccount });
    assert.equal(updated.amount, 2000);
    const held = await stripe.paymentIntents.confirm(
      id,
      { payment_method: 'pm_card_visa', use_stripe_sdk: true },
      { stripeAccount },
    );
    assert.equal(held.status, 'requires_capture');
    const captured = await stripe.paymentIntents.capture(
      id,
      { application_fee_amount: 140, expand: EXPAND },
      { stripeAccount },
    );
    const charge = captured.latest_charge;
    assert.equal(captured.status, 'succeeded');
    assert.equal(charge.application_fee.amount, 140);
    assert.equal(charge.balance_transaction.net, 2000 - charge.balance_transaction.fee);
    const refund = await stripe.refunds.create(
      { payment_intent: id, amount: 500 },
      { stripeAccount, idempotencyKey: randomUUID() },
    );
    assert.equal(refund.amount, 500);
    const feeRefund = await stripe.applicationFees.createRefund(charge.application_fee.id, {
      amount: 40,
    });
    assert.equal(feeRefund.fee, charge.application_fee.id);
    const read = await stripe.paymentIntents.retrieve(id, { expand: EXPAND }, { stripeAccount });
    assert.equal(read.latest_charge.amount_refunded, 500);
    assert.equal(read.latest_charge.application_fee.amount_refunded, 40);
  },

  async authorisation_is_cancelled() {
    const { id } = await create({ confirm: true, payment_method: 'pm_card_visa' });
    const cancelled = await stripe.paymentIntents.cancel(id, { expand: EXPAND }, { stripeAccount });
    assert.equal(cancelled.status, 'canceled');
    assert.equal(cancelled.latest_charge.refunded, true);
  },

  async three_d_secure_is_asked_for() {
    const { id } = await create();
    const asked = await stripe.paymentIntents.confirm(
      id,
      { payment_method: 'pm_card_authenticationRequired' },
      { stripeAccount },
    );
    assert.equal(asked.status, 'requires_action');
    assert.equal(asked.next_action.type, 'use_stripe_sdk');
  },

  async list_is_paged_through() {
    const order = randomUUID();
    const made = [];
    for (let number = 0; number < 5; number += 1)
      made.unshift((await create({ metadata: { football_doubles_order: order } })).id);
    const seen = [];
    for await (const intent of stripe.paymentIntents.list({ limit: 2 }, { stripeAccount }))
      if (intent.metadata.football_doubles_order === order) seen.push(intent.id);
    assert.deepEqual(seen, made);
    const page = await stripe.paymentIntents.list(
      { limit: 1, created: { gte: 1 }, expand: ['data.latest_charge'] },
      { stripeAccount },
    );
    assert.deepEqual([page.has_more, page.data.length], [true, 1]);
    const events = await stripe.events.list({ limit: 3 }, { stripeAccount });
    assert.equal(events.data.length, 3);
  },

  async idempotent_request_is_replayed() {
    const idempotencyKey = randomUUID();
    const first = await create({ metadata: { a: 'b' } }, { idempotencyKey });
    const again = await create({ metadata: { a: 'b' } }, { idempotencyKey });
    assert.equal(again.id, first.id);
    assert.equal(again.lastResponse.headers['idempotent-replayed'], 'true');
    await refusal(
      create({ metadata: { a: 'b' }, amount: 1600 }, { idempotencyKey }),
      'StripeIdempotencyError',
    );
  },

  async errors_have_their_classes() {
    const declined = await refusal(
      create({ confirm: true, payment_method: 'pm_card_chargeDeclinedInsufficientFunds' }),
      'StripeCardError',
      { code: 'card_declined', decline_code: 'insufficient_funds', statusCode: 402 },
    );
    assert.equal(declined.payment_intent.status, 'requires_payment_method');
    const invalid = 'StripeInvalidRequestError';
    await refusal(create({ colour: 'red' }), invalid, {
      code: 'parameter_unknown',
      param: 'colour',
    });
    await refusal(create({ amount: undefined }), invalid, {
      code: 'parameter_missing',
      param: 'amount',
    });
    await refusal(create({ capture_method: 'later' }), invalid, { param: 'capture_method' });
    await refusal(create({ currency: 'xyz' }), invalid, { param: 'currency' });
    await refusal(create({ metadata: { ['k'.repeat(41)]: 'v' } }), invalid, { statusCode: 400 });
    await refusal(create({ statement_descriptor_suffix: '*' }), invalid, {
      param: 'statement_descriptor_suffix',
    });
    await refusal(create({ expand: ['a.b.c.d.e'] }), invalid, { param: 'expand' });
    await refusal(stripe.paymentIntents.retrieve('pi_unknown', {}, { stripeAccount }), invalid, {
      code: 'resource_missing',
      statusCode: 404,
    });
    await refusal(
      stripe.paymentMethods.create(
        { type: 'card', card: { number: '4242424242424242', exp_month: 1, exp_year: 2020 } },
        { stripeAccount },
      ),
      'StripeCardError',
      { code: 'invalid_expiry_year' },
    );
    await refusal(create({}, { stripeAccount: 'acct_unknown' }), 'StripePermissionError', {
      code: 'account_invalid',
      statusCode: 403,
    });
    for (const key of ['sk_live_clients', 'sk_wrong', 'wrong'])
      await refusal(clientOf(key).balance.retrieve(), 'StripeAuthenticationError', {
        statusCode: 401,
      });
    await refusal(create({}, { apiVersion: '2019-01-01' }), invalid, { statusCode: 400 });
  },

  async requests_beyond_the_rate_are_refused() {
    const many = Array.from({ length: 40 }, () => stripe.balance.retrieve({}, { stripeAccount }));
    const refused = (await Promise.allSettled(many)).filter(({ reason }) => reason);
    assert.ok(refused.length > 0 && refused.length <= 15, `${refused.length} of 40 were refused`);
    for (const { reason } of refused) {
      assert.equal(reason.constructor.name, 'StripeRateLimitError', reason.stack);
      assert.equal(reason.headers['stripe-rate-limited-reason'], 'endpoint-rate');
    }
  },

  async events_of_the_stand_in_are_verified() {
    const { id } = await create();
    const { event, raw, signature } = await eventOf('payment_intent.created', id);
    assert.equal(event.account, stripeAccount);
    assert.throws(
      () => stripe.webhooks.constructEvent(`${raw} `, signature, SECRET),
      Stripe.errors.StripeSignatureVerificationError,
    );
    assert.throws(
      () => stripe.webhooks.constructEvent(raw, signature, 'whsec_other'),
      Stripe.errors.StripeSignatureVerificationError,
    );
  },

  async events_of_the_library_are_verified() {
    const payload = JSON.stringify({ id: 'evt_1', object: 'event' });
    const status = async (settings, body = payload) => {
      const header = stripe.webhooks.generateTestHeaderString({
        payload,
        secret: SECRET,
        ...settings,
      });
      const headers = { 'stripe-signature': header };
      return (await fetch(`${base}/verify`, { method: 'POST', headers, body })).status;
    };
    assert.equal(await status({}), 200);
    assert.equal(await status({ secret: 'whsec_other' }), 400);
    assert.equal(await status({}, `${payload} `), 400);
    assert.equal(await status({ timestamp: Math.floor(Date.now() / 1000) - 600 }), 400);
  },
};

let failures = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    console.log(`ok   ${name}`);
  } catch (error) {
    failures += 1;
    console.error(`FAIL ${name}\n${error.stack}`);
  }
}
child.kill();
listener.close();
listener.closeAllConnections();
process.exitCode = failures > 0 ? 1 : 0;
