import {readdir, symlink} from 'node:fs/promises';
import {join} from 'node:path';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {createReadSkill} from '../../../src/agent/skills/read-skill.ts';
import {createListFiles} from '../../../src/agent/tools/list-files.ts';
import {createSearchText} from '../../../src/agent/tools/search-text.ts';
import {openTools} from '../tools/open-tools.ts';

const forms: ReadonlyArray<readonly [what: string, real: string, written: string]> = [
	['NFD for NFC', 'pläne/café.txt'.normalize('NFD'), 'pläne/café.txt'],
	['NFC for NFD', 'pläne/café.txt', 'pläne/café.txt'.normalize('NFD')],
	['NFC for decomposed Korean', '한국/어.txt'.normalize('NFD'), '한국/어.txt'],
	['a narrow no-break space', 'Screenshot at 5.00.00\u202FPM.txt', 'Screenshot at 5.00.00 PM.txt'],
	['a no-break space', 'my\u00A0notes/a b.txt', 'my notes/a b.txt'],
	['a usual space', 'a b.txt', 'a\u00A0b.txt'],
	['curly quotes', 'it’s “new”.txt', 'it\'s "new".txt'],
	['straight quotes', "it's.txt", 'it’s.txt'],
];

describe('a name in another form is the file', () => {
	test.each(forms)('%s', async (_, real, written) => {
		const {read, edit, write, text, places, context, workspace} = await openTools({[real]: 'one\n'});
		expect(await read(written)).toBe('1\tone');
		await edit(written, 'one', 'two');
		await write(written, 'three\n');
		expect(await text(real)).toBe('three\n');
		// No twin beside it.
		const names = await readdir(workspace, {recursive: true});
		expect(names.filter(name => name.endsWith('.txt'))).toEqual([real]);
		expect(await createSearchText(places).run({pattern: 'three', path: written}, context)).toContain(':1:three');
		const [folder = ''] = written.split('/');
		if (written.includes('/')) {
			expect(await createListFiles(places).run({path: folder}, context)).toContain('.txt');
		}

		const skill = {name: 'a', folder: workspace, isOwn: true, isForModel: true};
		const skills = async () => [
			{...skill, description: '', body: '', path: '', filesHash: undefined, argumentHint: undefined, isForUser: true},
		];
		expect(await createReadSkill({skills, hide: given => given}).run({name: 'a', file: written}, context)).toBe(
			'three\n',
		);
	});
});

test('of two forms that are both there, the exact one is meant, and a third one is none of them', async () => {
	const {read, write, text} = await openTools({
		'a b.txt': 'usual\n',
		'a\u00A0b.txt': 'no-break\n',
		'a\u202Fc.txt': 'c\n',
	});
	expect([await read('a b.txt'), await read('a\u00A0b.txt')]).toEqual(['1\tusual', '1\tno-break']);
	await write('a\u00A0b.txt', 'new\n');
	expect([await text('a b.txt'), await text('a\u00A0b.txt')]).toEqual(['usual\n', 'new\n']);
	const refusal = {
		code: 'conflict',
		hint: expect.stringMatching(/"a b\.txt", "a\\u00a0b\.txt"|"a\\u00a0b\.txt", "a b\.txt"/),
	};
	await expect(read('a\u2009b.txt')).rejects.toMatchObject(refusal);
	await expect(write('a\u2009b.txt', 'x')).rejects.toMatchObject(refusal);
	// Another dash, case or letter is another name.
	await write('a\u202FC.txt', 'C\n');
	expect([await text('a\u202Fc.txt'), await text('a\u202FC.txt')]).toEqual(['c\n', 'C\n']);
});

test('[13] another form leads nowhere that the exact name does not', async () => {
	const {read, write, root, path} = await openTools({'x.txt': 'x\n'});
	await symlink(root, path('out\u00A0side'));
	for (const name of ['out side/outside.txt', 'out side/new é.txt', '../pröject\u00A0x/é.txt']) {
		await expect(read(name)).rejects.toThrow('is outside the working folder');
		await expect(write(name, 'x')).rejects.toThrow('is outside the working folder');
	}

	expect(await readdir(root)).not.toContain('new é.txt');
});

test('whatever a file is called, a form of its name that looks the same leads to it', async () => {
	const part = fc.string({
		unit: fc.constantFrom('a', 'é', '한', 'ü', ' ', '\u202F', "'", '“', '…', '–', '.'),
		minLength: 1,
		maxLength: 8,
	});
	const change = fc.constantFrom<(text: string) => string>(
		text => text.normalize('NFD'),
		text => text.normalize('NFC'),
		text => text.replace(/\p{Zs}/gu, ' '),
		text => text.replace(/\p{Zs}/gu, '\u00A0'),
		text => text.replaceAll('“', '"').replaceAll("'", '’'),
	);
	await fc.assert(
		fc.asyncProperty(
			part,
			fc.array(change, {maxLength: 3}),
			fc.array(change, {maxLength: 3}),
			async (name, onDisk, asked) => {
				const apply = (by: typeof onDisk) => by.reduce((text, each) => each(text), `x${name}x`);
				const {read, workspace} = await openTools({[join('é', apply(onDisk))]: 'found\n'});
				expect(await read(join(workspace, 'é'.normalize('NFD'), apply(asked)))).toBe('1\tfound');
			},
		),
		{numRuns: 40},
	);
});
