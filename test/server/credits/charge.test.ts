import {expect, test} from 'vitest';
import {grantCredits, setAutoRefill, setMemberLimit} from '../../../src/server/credits/account.ts';
import {chargeCredits} from '../../../src/server/credits/charge.ts';
import type {Database} from '../../../src/server/database/tables.ts';
import {remainingCredits} from '../../../src/server/sandboxes/credit-price.ts';
import {createTestServer} from '../harness.ts';
import {findProjectOf} from '../rows.ts';

const march = new Date('2026-03-31T23:00:00.000Z');
const april = new Date('2026-04-01T00:00:00.000Z');

async function open(balance?: number) {
	const {database, owner} = await createTestServer();
	const {organizationId} = await findProjectOf(database);
	const grant = {organizationId, amount: balance ?? 1, reason: 'gift', now: march};
	if (balance !== undefined) {
		await database.transaction().execute(transaction => grantCredits(transaction, grant));
	}

	return {
		database,
		organizationId,
		userId: owner.id,
		charge: (amount: number, now = march) =>
			database
				.transaction()
				.execute(transaction =>
					chargeCredits(transaction, {organizationId, userId: owner.id, amount, reason: 'sandbox', now}),
				),
		limit: (limit: number | null) =>
			database
				.transaction()
				.execute(transaction => setMemberLimit(transaction, {organizationId, userId: owner.id, limit, now: march})),
		left: (now = march) => remainingCredits(database, {organizationId, userId: owner.id, now}),
		balance: async () => (await database.selectFrom('credit_accounts').select('balance').executeTakeFirst())?.balance,
		used: async () =>
			(await database.selectFrom('member_credits').select(['month', 'month_used']).executeTakeFirst()) ?? {},
	};
}

const entriesOf = (database: Database) =>
	database.selectFrom('credit_entries').select(['user_id', 'amount', 'reason']).orderBy('amount').execute();

const refill = {refill_enabled: 1, has_payment_method: 1, monthly_cap: 3, quantity: 50, threshold: 10} as const;
const insufficient = {ok: false, reason: 'insufficient_credits'};
const exceeded = {ok: false, reason: 'member_limit_exceeded'};

test('usage reduces the balance and is recorded', async () => {
	const {database, charge, balance, used, userId, left} = await open(100);
	expect([await charge(30), await charge(70), await charge(0), await charge(1)]).toEqual([
		{ok: true},
		{ok: true},
		{ok: true},
		insufficient,
	]);
	expect([await balance(), await used(), await left()]).toEqual([0, {month: '2026-03', month_used: 100}, 0]);
	expect(await entriesOf(database)).toEqual([
		{user_id: userId, amount: -70, reason: 'sandbox'},
		{user_id: userId, amount: -30, reason: 'sandbox'},
		{user_id: null, amount: 100, reason: 'gift'},
	]);
});

test('an organization without an account is not billed, but member limits apply', async () => {
	const {charge, limit, left} = await open();
	expect([await charge(1_000_000), await left()]).toEqual([{ok: true}, null]);
	await limit(1_000_010);
	expect([await left(), await charge(11), await charge(10), await charge(1)]).toEqual([
		10,
		exceeded,
		{ok: true},
		exceeded,
	]);
});

test('a member’s usage resets each month (UTC), and a clock that is behind restores nothing', async () => {
	const {charge, limit, left, used} = await open(1000);
	await limit(50);
	expect([await charge(50), await charge(1), await left(), await left(april)]).toEqual([{ok: true}, exceeded, 0, 50]);
	expect([await charge(40, april), await used()]).toEqual([{ok: true}, {month: '2026-04', month_used: 40}]);
	expect([await charge(11, march), await charge(10, march)]).toEqual([exceeded, {ok: true}]);
	await limit(null);
	expect(await charge(500, april)).toEqual({ok: true});
});

test('the auto-refill buys up to its monthly cap, and nothing for a rejected charge', async () => {
	const {database, organizationId, charge, balance, left} = await open(20);
	await database
		.transaction()
		.execute(transaction => setAutoRefill(transaction, {organization_id: organizationId, ...refill}));
	expect([await left(), await charge(171), await balance()]).toEqual([170, insufficient, 20]);
	expect([await charge(15), await balance()]).toEqual([{ok: true}, 55]);
	expect([await charge(155), await balance(), await charge(1)]).toEqual([{ok: true}, 0, insufficient]);
	expect([await left(april), await charge(1, april), await balance()]).toEqual([150, {ok: true}, 49]);
	const bought = (await entriesOf(database)).filter(({reason}) => reason === 'auto-refill');
	expect(bought).toEqual([50, 50, 100].map(amount => ({user_id: null, amount, reason: 'auto-refill'})));
});

test('of twenty concurrent charges only those pass that the balance allows', async () => {
	const {charge, balance, used} = await open(70);
	const results = await Promise.all(Array.from({length: 20}, () => charge(10)));
	expect(results.filter(({ok}) => ok)).toHaveLength(7);
	expect([await balance(), await used()]).toEqual([0, {month: '2026-03', month_used: 70}]);
});

test('of twenty concurrent first charges without an account only those pass that the limit allows', async () => {
	const {charge, limit, used} = await open();
	await limit(50);
	const results = await Promise.all(Array.from({length: 20}, () => charge(10)));
	expect(results.filter(({ok}) => ok)).toHaveLength(5);
	expect(await used()).toEqual({month: '2026-03', month_used: 50});
});

test('a charge that is rolled back leaves nothing', async () => {
	const {database, organizationId, userId, balance, used} = await open(100);
	const failing = database.transaction().execute(async transaction => {
		await chargeCredits(transaction, {organizationId, userId, amount: 10, reason: 'sandbox', now: march});
		throw new Error('no');
	});
	await expect(failing).rejects.toThrow('no');
	expect([await balance(), await used()]).toEqual([100, {}]);
});

test('an invalid amount of credits throws', async () => {
	const {charge} = await open();
	for (const amount of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
		await expect(charge(amount)).rejects.toThrow(RangeError);
	}
});
