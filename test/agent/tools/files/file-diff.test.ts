import fc from 'fast-check';
import {expect, test} from 'vitest';
import {describeChange} from '../../../../src/agent/tools/files/change-file.ts';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), {maxLength: 30});

test('a diff has three lines of context, with their numbers', () => {
	const before = Array.from({length: 20}, (_, index) => `line ${index + 1}\n`).join('');
	const {exact} = describeChange('a.txt', before, before.replace('line 10\n', 'ten\nand more\n'));
	expect(exact).toEqual({
		path: 'a.txt',
		added: 2,
		removed: 1,
		diff: '@@ -7 +7 @@\n line 7\n line 8\n line 9\n-line 10\n+ten\n+and more\n line 11\n line 12\n line 13',
	});
});

test('the removed and added lines of any change are those that differ', () => {
	fc.assert(
		fc.property(lines, lines, (before, after) => {
			const [old, now] = [before, after].map(text => text.map(part => `${part}\n`).join(''));
			const {exact} = describeChange('a', old ?? '', now ?? '');
			expect(exact.added - exact.removed).toBe(after.length - before.length);
			expect(exact.diff === '').toBe(old === now);
		}),
	);
});

test('a change of CRLF lines shows only those, a change of line ends shows every line', () => {
	expect(describeChange('a', 'a\r\nb\r\n', 'a\r\nc\r\n').exact.diff).toBe('@@ -1 +1 @@\n a\n-b\n+c');
	expect(describeChange('a', 'a\r\nb\r\n', 'a\nb\n').exact).toMatchObject({added: 2, removed: 2});
});

test('texts without a common line are shown whole, in bounded time', () => {
	const text = (word: string) => Array.from({length: 5000}, (_, index) => `${word}${index}\n`).join('');
	expect(describeChange('a', text('a'), text('b')).exact).toMatchObject({added: 5000, removed: 5000});
});

test('the journal gets a change without credentials and of limited length, the user the exact one [8]', () => {
	const key = `ghp_${'a1B2'.repeat(9)}`;
	const pem = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n'.repeat(9)}-----END PRIVATE KEY-----\n`;
	const before = `token ${key}\n${pem}end\n`;
	const {exact, recorded} = describeChange('a', before, before.replace('end', 'stop'));
	expect(exact.diff).toContain('MIIEvQ');
	expect(recorded.diff).toBe('@@ -10 +10 @@\n ***\n ***\n -----END PRIVATE KEY-----\n-end\n+stop');
	const changed = describeChange('a', before, before.replace('token', 'key')).recorded.diff;
	expect(changed).toContain('-token ***\n+key ***');
	expect(changed).not.toContain(key);
	expect(describeChange('a', '', 'x\n'.repeat(100_000)).recorded.diff.length).toBeLessThan(65_000);
});

test('[8] in a file whose name suggests secrets, every value that may be one is left out of the journal', () => {
	const [before, after] = ['DB_PASSWORD=hunter22\nPORT=1\n', 'DB_PASSWORD=hunter23\nPORT=2\n'];
	const {exact, recorded} = describeChange('.env', before, after, true);
	expect(exact.diff).toContain('+DB_PASSWORD=hunter23');
	expect(recorded.diff).toBe('@@ -1 +1 @@\n-DB_PASSWORD=***\n-PORT=1\n+DB_PASSWORD=***\n+PORT=2');
	expect(recorded).toMatchObject({added: 2, removed: 2});
});
