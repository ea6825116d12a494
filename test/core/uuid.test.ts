import {expect, test} from 'vitest';
import {isUuid} from '../../src/core/uuid.ts';

const id = '0b5e8f4c-1f0a-4b7e-9d5c-2a6f3e1d7c90';

test('a UUID of any version is accepted, only in lower case', () => {
	expect([id, '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-8fff-ffff-ffffffffffff'].map(isUuid)).toEqual([
		true,
		true,
		true,
	]);
	expect(isUuid(id.toUpperCase())).toBe(false);
});

test.each(['', id.slice(1), `${id}0`, ` ${id}`, `${id}\n`, id.replaceAll('-', ''), `../${id}`, `${id}/..`])(
	'%j is none, so that it becomes no part of a path',
	text => {
		expect(isUuid(text)).toBe(false);
	},
);
