import {execFileSync} from 'node:child_process';
import {chmod} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {createListFiles} from '../../../src/agent/tools/list-files.ts';
import {createSearchText} from '../../../src/agent/tools/search-text.ts';
import {git, makeWorkspace} from './workspace.ts';

describe.runIf(process.getuid?.() === 0)('what the user may not open', () => {
	const closed = async () => {
		const {root, workspace, stateFolder, context} = await makeWorkspace({
			'ok/a.md': 'found\n',
			'closed/b.md': 'found\n',
			'shut.md': 'found\n',
		});
		await Promise.all([
			...[root, workspace].map(path => chmod(path, 0o755)),
			...['closed', 'shut.md'].map(path => chmod(join(workspace, path), 0)),
		]);
		return {workspace, stateFolder, context};
	};
	const asNobody = () => {
		onTestFinished(() => process.seteuid?.(0));
		process.seteuid?.(65_534);
	};

	test.each([[false], [true]])('is said of folders that could not be listed (with git: %s)', async withGit => {
		const {workspace, stateFolder, context} = await closed();
		if (withGit) {
			git(workspace, 'init', '-q');
			execFileSync('chown', ['-R', '65534:65534', workspace]);
		}

		asNobody();
		const list = (path?: string) => createListFiles({stateFolder}).run({...(path && {path})}, context);
		expect((await list()).split('\n')).toEqual([
			'ok/a.md',
			'shut.md',
			"[not listed, because it can't be opened: closed]",
		]);
		expect(await list('closed')).toBe("[no files]\n[not listed, because it can't be opened: closed]");
	});

	test.each([
		['ripgrep', {}, "[not searched, because they can't be opened: closed, shut.md]"],
		['our own walk', {ripgrep: async () => undefined}, "[not searched, because they can't be opened: closed, shut.md]"],
	])('is said of what could not be searched with %s', async (_, options, note) => {
		const {stateFolder, context} = await closed();
		asNobody();
		const search = (path?: string) =>
			createSearchText({stateFolder, ...options}).run({pattern: 'found', ...(path && {path})}, context);
		expect((await search()).split('\n')).toEqual(['ok/a.md:1:found', note]);
		expect(await search('closed')).toBe("[no matches]\n[not searched, because it can't be opened: closed]");
	});
});
