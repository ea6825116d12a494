import fc from 'fast-check';
import {expect, test} from 'vitest';
import {newAccount} from '../../../src/server/credits/account.ts';
import {monthOf, nextMonth} from '../../../src/server/credits/month.ts';
import {type CreditAccount, refill} from '../../../src/server/credits/refill.ts';

const now = new Date('2026-12-31T23:59:59.999Z');
const next = '2027-01-01T00:00:00.000Z';

const account = (values: Partial<CreditAccount>): CreditAccount => ({
	...newAccount('acme'),
	balance: 100,
	refill_enabled: 1,
	has_payment_method: 1,
	quantity: 50,
	threshold: 20,
	...values,
});

test.each<[string, Partial<CreditAccount>, number, object]>([
	['nothing is bought at the threshold', {}, 80, {balance: 20, month_count: 0, bought: 0}],
	['a refill is bought below it', {}, 81, {balance: 69, month_count: 1, bought: 50}],
	['as many as it takes', {}, 300, {balance: 50, month_count: 5, bought: 250}],
	['not more than the cap', {monthly_cap: 2}, 190, {balance: 10, month_count: 2, bought: 100}],
	['none where the cap is reached', {monthly_cap: 2, month_count: 2, month_reset: next}, 90, {balance: 10, bought: 0}],
	['again in a new month', {monthly_cap: 2, month_count: 2, month_reset: now.toISOString()}, 90, {month_count: 1}],
	['none where it is off', {refill_enabled: 0}, 90, {balance: 10, bought: 0}],
	['none without a payment method', {has_payment_method: 0}, 90, {balance: 10, bought: 0}],
	['none without a quantity', {quantity: null}, 90, {balance: 10, bought: 0}],
	['none of a quantity that is none', {quantity: 0}, 90, {balance: 10, bought: 0}],
	['none without a threshold', {threshold: null}, 90, {balance: 10, bought: 0}],
])('%s', (_, values, amount, expected) => {
	expect(refill(account(values), amount, now)).toMatchObject(expected);
});

test('the month ends in UTC, also at the end of a year', () => {
	expect([monthOf(now), nextMonth(now).toISOString()]).toEqual(['2026-12', next]);
	expect(refill(account({}), 0, now).month_reset).toBe(next);
});

test('purchases are whole refills within the cap, and are added to the balance', () => {
	const count = fc.integer({min: 0, max: 1000});
	const values = fc.record({balance: count, quantity: count, threshold: count, monthly_cap: fc.option(count)});
	fc.assert(
		fc.property(values, count, (its, amount) => {
			const {balance, bought, month_count} = refill(account(its), amount, now);
			expect(balance).toBe(its.balance - amount + bought);
			expect(bought).toBe(month_count * its.quantity);
			expect(month_count).toBeLessThanOrEqual(its.monthly_cap ?? Number.POSITIVE_INFINITY);
			if (its.quantity > 0 && its.monthly_cap === null) {
				expect(balance).toBeGreaterThanOrEqual(Math.min(its.threshold, its.balance - amount + bought));
				expect(balance >= its.threshold || bought === 0).toBe(true);
			}
		}),
	);
});
