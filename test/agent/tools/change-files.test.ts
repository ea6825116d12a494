import {chmod, link, readlink, stat, symlink} from 'node:fs/promises';
import {describe, expect, test} from 'vitest';
import {openTools} from './open-tools.ts';
import {snapshot} from './snapshot.ts';

test('an edit asks with the diff and the hash of the result, writes it, and reports the change', async () => {
	const {read, edit, text, asked, changes, workspace} = await openTools({'src/a.ts': 'one\ntwo\nthree\n'});
	await read('src/a.ts');
	expect(await edit('src/a.ts', 'two', 'TWO')).toBe('Changed src/a.ts (+1 -1 lines).');
	expect(await text('src/a.ts')).toBe('one\nTWO\nthree\n');
	const change = {path: 'src/a.ts', added: 1, removed: 1, diff: '@@ -1 +1 @@\n one\n-two\n+TWO\n three'};
	expect(changes).toEqual([change]);
	expect(asked).toEqual([
		{
			act: {kind: 'edit', path: `${workspace}/src/a.ts`},
			summary: 'Change src/a.ts?',
			subject: expect.stringMatching(`^write ${workspace}/src/a.ts\n[0-9a-f]{64}$`),
			change,
			exactChange: change,
			onSeen: expect.any(Function),
		},
	]);
});

test('the next edit needs no other read, because the model knows what it wrote', async () => {
	const {read, edit, write, text} = await openTools({'a.txt': 'one\n'});
	await read('a.txt');
	await edit('a.txt', 'one', 'two');
	await edit('a.txt', 'two', 'three');
	await write('a.txt', 'four\n');
	await write('new.txt', 'five\n');
	await edit('new.txt', 'five', 'six');
	expect([await text('a.txt'), await text('new.txt')]).toEqual(['four\n', 'six\n']);
});

test('a new file gets its parent folders and the usual mode', async () => {
	const {write, text, path} = await openTools();
	expect(await write('a/b/c.txt', 'hello\n')).toBe('Created a/b/c.txt (+1 -0 lines).');
	expect(await text('a/b/c.txt')).toBe('hello\n');
	expect((await stat(path('a/b/c.txt'))).mode & 0o777).toBe(0o666 & ~process.umask());
});

describe('a file keeps', () => {
	test('its mode', async () => {
		const {read, edit, path} = await openTools({'run.sh': 'echo a\n'});
		await chmod(path('run.sh'), 0o751);
		await read('run.sh');
		await edit('run.sh', 'a', 'b');
		expect((await stat(path('run.sh'))).mode & 0o777).toBe(0o751);
	});

	test('its place behind a link', async () => {
		const {read, edit, text, path} = await openTools({'real.txt': 'a\n'});
		await symlink('real.txt', path('link.txt'));
		await read('link.txt');
		await edit('link.txt', 'a', 'b');
		expect([await text('real.txt'), await readlink(path('link.txt'))]).toEqual(['b\n', 'real.txt']);
	});

	test.each([
		['CRLF', Buffer.from('a\r\nb\r\n'), Buffer.from('a\r\nc\r\nd\r\n')],
		['its byte order mark', Buffer.from('\uFEFFa\nb\n'), Buffer.from('\uFEFFa\nc\nd\n')],
		['UTF-16', Buffer.from('\uFEFFa\nb\nü', 'utf16le'), Buffer.from('\uFEFFa\nc\nd\nü', 'utf16le')],
		[
			'UTF-16 in big-endian order',
			Buffer.from('\uFEFFa\r\nb', 'utf16le').swap16(),
			Buffer.from('\uFEFFa\r\nc\r\nd', 'utf16le').swap16(),
		],
		['a missing line end', Buffer.from('a\nb'), Buffer.from('a\nc\nd')],
	])('%s', async (_, before, after) => {
		const {read, edit, write, bytes} = await openTools({'a.txt': before, 'b.txt': before});
		expect(await read('a.txt')).toContain('2\tb');
		await read('b.txt');
		await edit('a.txt', 'a\nb', 'a\nc\nd');
		expect(await bytes('a.txt')).toEqual(after);
		const text = after.toString(after[1] === 0xfe ? 'utf16le' : 'utf8');
		if (!after.includes(0xfe)) {
			await write('b.txt', text.replaceAll('\r\n', '\n').replace('\uFEFF', ''));
			expect(await bytes('b.txt')).toEqual(after);
		}
	});
});

test('a file whose name suggests secrets is asked about as such', async () => {
	const {read, edit, write, asked} = await openTools({'.env': 'PORT=1\n'});
	await read('.env');
	await edit('.env', 'PORT=1', 'PORT=2');
	await write('.env.local', 'A=1\n');
	expect(asked.map(({act, summary}) => [act.kind, summary])).toEqual([
		['read-secret', 'Show .env to the model? Its name suggests secrets.'],
		['edit-secret', 'Change .env? Its name suggests secrets.'],
		['edit-secret', 'Create .env.local? Its name suggests secrets.'],
	]);
});

test('a reader sees the old content or the new one, never a part, and other names of the file keep the old one', async () => {
	const [a, b] = ['a'.repeat(200_000), 'b'.repeat(200_000)];
	const {read, write, text, path, workspace} = await openTools({'a.txt': a});
	await link(path('a.txt'), path('other.txt'));
	await read('a.txt');
	let isWriting = true;
	const seen = new Set<string>();
	const reader = (async () => {
		while (isWriting) {
			seen.add(await text('a.txt'));
		}
	})();
	for (let round = 0; round < 10; round++) {
		await write('a.txt', round % 2 === 0 ? b : a);
	}

	isWriting = false;
	await reader;
	expect([...seen].every(content => content === a || content === b)).toBe(true);
	expect([await text('other.txt'), Object.keys(await snapshot(workspace))]).toEqual([a, ['a.txt', 'other.txt']]);
});
