import fc from 'fast-check';
import {expect, test} from 'vitest';
import {createUserCode, parseUserCode} from '../../../src/server/accounts/user-code.ts';

test('a code has eight letters that are not easily confused', () => {
	const codes = Array.from({length: 200}, createUserCode);
	expect(codes.filter(code => !/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/.test(code))).toEqual([]);
	expect(new Set(codes).size).toBe(200);
});

test.each(['WDJB-MJHT', 'wdjb-mjht', 'wdjbmjht', ' WDJB MJHT ', 'wd-jb-mj-ht', 'WDJB–MJHT', 'wdjb_mjht'])(
	'%j is read as the displayed code',
	typed => {
		expect(parseUserCode(typed)).toBe('WDJB-MJHT');
	},
);

test.each([
	'',
	'WDJB-MJH',
	'WDJB-MJHTT',
	'WDJB-MJHA',
	'WDJB-MJH1',
	'<script>',
	`${' '.repeat(64)}WDJBMJHT`,
	'ẂDJB-MJHT',
])('%j cannot be a code', typed => {
	expect(parseUserCode(typed)).toBeUndefined();
});

test('any typed text gives a code or nothing, and a code stays the same', () => {
	fc.assert(
		fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[b-z -]{8,12}$/)), typed => {
			const code = parseUserCode(typed);
			expect(code === undefined || parseUserCode(code) === code).toBe(true);
		}),
	);
});
