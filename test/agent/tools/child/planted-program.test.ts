import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {delimiter, join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {judge} from '../../../../src/agent/approval/ruling.ts';
import {findRepositories} from '../../../../src/agent/obeyed/find-repositories.ts';
import {boundsOf} from '../../../../src/agent/policy/bounds.ts';
import {foldersOutside} from '../../../../src/agent/tools/child/find-program.ts';
import {findFiles} from '../../../../src/agent/tools/files/find-files.ts';

const places = {stateFolder: '/nonexistent', homeFolder: '/nonexistent'};

/** A repository whose virtual environment is in PATH, with programs that leave a trace. */
function planted() {
	const root = realpathSync(mkdtempSync(join(tmpdir(), 'service-planted-')));
	const workspace = join(root, 'project');
	const bin = join(workspace, '.venv', 'bin');
	mkdirSync(bin, {recursive: true});
	writeFileSync(join(workspace, 'a.txt'), 'a\n');
	execFileSync('git', ['init', '-q'], {cwd: workspace});
	for (const name of ['git', 'find']) {
		writeFileSync(join(bin, name), `#!/bin/sh\ntouch ${root}/ran-${name}\nexit 1\n`, {mode: 0o755});
	}

	const before = process.env['PATH'] ?? '';
	symlinkSync(bin, join(root, 'link'));
	process.env['PATH'] = [bin, join(root, 'link'), before].join(delimiter);
	onTestFinished(() => {
		process.env['PATH'] = before;
		rmSync(root, {recursive: true, force: true});
	});
	return {workspace, before, hasRun: (name: string) => existsSync(join(root, `ran-${name}`))};
}

test('[15] files are listed by the git of the system, not by one of the project', async () => {
	const {workspace, hasRun} = planted();
	const bounds = await boundsOf(workspace, places);
	const {paths} = await findFiles({real: workspace, shown: '.'}, bounds, new AbortController().signal);
	expect(paths).toContain('a.txt');
	expect(hasRun('git')).toBe(false);
});

test('[15] commands are checked with the git of the system, and asked about if the project has one', async () => {
	const {workspace, hasRun} = planted();
	const act = {kind: 'command', command: 'git log -p', folder: workspace, containment: 'sandbox'} as const;
	expect((await judge(act, {folder: workspace, entries: []}, places)).effect).toBe('ask');
	const inFolder = {...act, command: 'git status'} as const;
	expect((await judge(inFolder, {folder: workspace, entries: []}, places)).effect).toBe('ask');
	expect(hasRun('git')).toBe(false);
});

test('[15] repositories are searched with the find of the system', async () => {
	const {workspace, hasRun} = planted();
	expect((await findRepositories(workspace)).folders).toEqual([workspace]);
	expect(hasRun('find')).toBe(false);
});

test('[15] folders of the project in PATH are left out, also through links; all others stay in order', () => {
	const {workspace, before} = planted();
	expect(foldersOutside(workspace, process.env)).toEqual(
		before.split(delimiter).filter(folder => folder.startsWith('/')),
	);
});

test('[15] folders of the project in PATH are left out where the work is in a part of it', async () => {
	const {workspace, before, hasRun} = planted();
	const part = join(workspace, 'packages', 'one');
	mkdirSync(part, {recursive: true});
	writeFileSync(join(part, 'b.txt'), 'b\n');
	expect(foldersOutside(part, process.env)).toEqual(before.split(delimiter));
	const {paths} = await findFiles({real: part, shown: '.'}, await boundsOf(part, places), new AbortController().signal);
	expect(paths).toContain('b.txt');
	expect(hasRun('git')).toBe(false);
});
