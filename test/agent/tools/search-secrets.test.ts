import {mkdirSync, symlinkSync} from 'node:fs';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {createListFiles} from '../../../src/agent/tools/list-files.ts';
import {createReadFile} from '../../../src/agent/tools/read-file.ts';
import {createSearchText, findRipgrep} from '../../../src/agent/tools/search-text.ts';
import type {JsonObject} from '../../../src/core/json.ts';
import type {ToolContext} from '../../../src/core/session/tool.ts';
import {makeWorkspace, writeAll} from './workspace.ts';

const token = `ghp_${'aB3'.repeat(12)}`;
const note = '[*** hides what looks like a credential; models never see it]';

const engines = [
	['ripgrep', {}],
	['our own walk', {ripgrep: async () => undefined}],
] as const;

for (const [name, options] of engines) {
	const searchIn = async (
		files: Readonly<Record<string, string>>,
		approve: ToolContext['approve'] = async () => ({allowed: false}),
	) => {
		const {workspace, stateFolder, context} = await makeWorkspace(files);
		const {run} = createSearchText({stateFolder, ...options});
		return {workspace, run: (args: JsonObject) => run(args, {...context, approve})};
	};

	test(`no pattern distinguishes credentials with ${name} [8]`, async () => {
		const {run} = await searchIn({'a.ts': `const key = '${token}';\nconst other = 1;\n`});
		const patterns = [
			...['ghp_a', 'ghp_b', `^const key = 'ghp_aB`, 'ghp_.{35}3', 'aB3', `${token.slice(0, 20)}`],
			...['ghp_a.*|\\*\\*\\*', 'ghp_b.*|\\*\\*\\*', 'key = .(?:ghp_a|\\*)', 'key = .(?:ghp_b|\\*)'],
		];
		for (const pattern of patterns) {
			const shown = pattern.includes('\\*') ? `a.ts:1:const key = '***';\n${note}` : '[no matches]';
			expect([pattern, await run({pattern})]).toEqual([pattern, shown]);
			expect([pattern, await run({pattern, path: 'a.ts'})]).toEqual([pattern, shown]);
		}
	});

	test(`a credential with colours inside or around it is hidden with ${name} [8]`, async () => {
		const colored = `\u001B[31m${token.slice(0, 9)}\u001B[1m${token.slice(9)}\u001B[m`;
		const {run} = await searchIn({'a.log': `first ${colored} end\n\u001B[32mother\n`});
		expect(await run({pattern: 'ghp_aB3aB'})).toBe('[no matches]');
		expect(await run({pattern: 'first|other'})).toBe(`a.log:1:first *** end\na.log:2:\u001B[32mother\n${note}`);
	});

	test(`a credential is hidden before its line is cut with ${name} [8]`, async () => {
		const {run} = await searchIn({'a.txt': `${'x'.repeat(280)} ${token}\n`});
		expect(await run({pattern: '^x'})).toBe(`a.txt:1:${'x'.repeat(280)} ***\n${note}`);
	});

	test(`lines of a private key are not found with ${name} [8]`, async () => {
		const body = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC';
		const {run} = await searchIn({
			'a.txt': ['-----BEGIN PRIVATE KEY-----', body, body, '-----END PRIVATE KEY-----', ''].join('\n'),
		});
		expect(await run({pattern: 'MIIE'})).toBe('[no matches]');
		expect(await run({pattern: 'BEGIN'})).toBe('a.txt:1:-----BEGIN PRIVATE KEY-----');
	});

	test(`secret files are left out of a search and counted, with ${name}`, async () => {
		const {run} = await searchIn({
			'.env': 'PORT=1\n',
			'.env.example': 'PORT=2\n',
			'deploy/server.pem': 'PORT=3\n',
			'src/credentials.ts': 'PORT=4\n',
		});
		const skipped =
			'[2 files whose names suggest secrets were not searched: .env, deploy/server.pem; ' +
			'to ask the user, give one as path]';
		expect(await run({pattern: 'PORT=\\d'})).toBe(`.env.example:1:PORT=2\nsrc/credentials.ts:1:PORT=4\n${skipped}`);
		expect(await run({pattern: 'PORT=7'})).toBe(`[no matches]\n${skipped}`);
		expect(await run({pattern: 'PORT=1', glob: '*.ts'})).toBe('[no matches]');
	});

	test(`a secret file is searched once the user allows it, with ${name}`, async () => {
		const asked: string[] = [];
		const approve: ToolContext['approve'] = async ({summary}) => ({allowed: asked.push(summary) > 1});
		const {run} = await searchIn({'.env': 'PORT=1\n'}, approve);
		await expect(run({pattern: 'PORT', path: '.env'})).rejects.toMatchObject({
			message: 'The user did not allow reading “.env”, whose name suggests secrets.',
		});
		expect(await run({pattern: 'PORT', path: '.env'})).toBe('.env:1:PORT=1');
		expect(asked).toEqual(Array(2).fill('Show .env to the model? Its name suggests secrets.'));
	});
}

test.skipIf(process.platform === 'win32')(
	'a folder that is a link while ripgrep looks shows nothing of what is outside [13]',
	async () => {
		const {root, workspace, stateFolder, context} = await makeWorkspace({'conf/a.txt': 'inside one\n'});
		await writeAll(root, {'out/a.txt': 'outside one\n'});
		const swapping = join(root, 'swapping-rg');
		const [place, kept] = [join(workspace, 'conf'), join(root, 'kept')];
		await writeFile(
			swapping,
			[
				'#!/bin/sh',
				`case "$*" in *--regexp=one*./conf) mv ${place} ${kept} && ln -s ${root}/out ${place} ;; esac`,
				`${await findRipgrep()} "$@"; status=$?`,
				`case "$*" in *--regexp=one*./conf) rm ${place} && mv ${kept} ${place} ;; esac`,
				'exit $status',
			].join('\n'),
			{mode: 0o700},
		);
		const search = createSearchText({stateFolder, ripgrep: async () => swapping});
		expect(await search.run({pattern: 'one', path: 'conf'}, context)).toBe('conf/a.txt:1:inside one');
	},
);

test('a secret file is read only once the user allows it, also through a link', async () => {
	const {workspace, stateFolder, context} = await makeWorkspace({'.env': 'PORT=1\n', '.env.example': 'PORT=\n'});
	symlinkSync('.env', join(workspace, 'notes.txt'));
	const {run} = createReadFile({stateFolder});
	for (const path of ['.env', 'notes.txt']) {
		await expect(run({path}, context)).rejects.toThrow('The user did not allow reading');
		expect(await run({path}, {...context, approve: async () => ({allowed: true})})).toBe('1\tPORT=1');
	}

	expect(await run({path: '.env.example'}, context)).toBe('1\tPORT=');
});

test('a name that is a credential is neither listed nor revealed by a pattern [8]', async () => {
	const {workspace, stateFolder, context} = await makeWorkspace({'a.txt': 'one'});
	mkdirSync(join(workspace, 'keys'));
	await writeAll(workspace, {[`keys/${token}`]: 'one'});
	const list = createListFiles({stateFolder});
	expect(await list.run({}, context)).toBe('a.txt\nkeys/***');
	expect(await list.run({pattern: 'ghp_a*'}, context)).toBe(
		await list.run({pattern: 'ghp_b*'}, context).then(text => text.replace('ghp_b', 'ghp_a')),
	);
	for (const [, options] of engines) {
		const search = createSearchText({stateFolder, ...options});
		expect(await search.run({pattern: 'one', glob: 'ghp_a*'}, context)).toBe('[no matches]');
	}
});
