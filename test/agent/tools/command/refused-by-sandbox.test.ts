import {chmodSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {refusedBySandbox} from '../../../../src/agent/tools/command/refused-by-sandbox.ts';
import {temporaryFolder} from '../../../storage/temporary.ts';

function places() {
	const home = temporaryFolder();
	const workspace = join(home, 'project');
	for (const folder of ['project', '.ssh', 'notes', '.config/gh']) {
		mkdirSync(join(home, folder), {recursive: true});
	}

	for (const file of ['notes/a.txt', '.ssh/id_rsa', '.env', 'project/a.txt', '.config/gh/hosts.yml']) {
		writeFileSync(join(home, file), 'x');
	}

	const refused = (output: string, status: number | null = 1) => refusedBySandbox(output, {status, workspace, home});
	return {home, workspace, refused};
}

test('a file that is missing only in the sandbox is why a command failed', () => {
	const {refused, home} = places();
	expect(refused(`cat: ${home}/notes/a.txt: No such file or directory`)).toBe('hidden');
	expect(refused("cat: '~/notes/a.txt': No such file or directory")).toBe('hidden');
	expect(refused(`Error: ENOENT: no such file or directory, open '${home}/notes/a.txt'\n    at x`)).toBe('hidden');
	expect(refused(`cat: ${home}/notes/b.txt: No such file or directory`)).toBeUndefined();
	expect(refused(`cat: ${home}/notes/a.txt: No such file or directory`, 0)).toBeUndefined();
});

test('a file that this program could open, but the command could not, is too', () => {
	const {refused, home} = places();
	expect(refused(`bash: line 1: ${home}/notes/a.txt: Permission denied`)).toBe('path');
	expect(refused(`Error: EACCES: permission denied, open '${home}/notes/a.txt'`)).toBe('path');
	chmodSync(join(home, 'notes/a.txt'), 0o000);
	// Root may open every file.
	expect(refused(`bash: ${home}/notes/a.txt: Permission denied`)).toBe(process.getuid?.() === 0 ? 'path' : undefined);
});

test('what the sandbox shows, what is in the working folder, and secrets are not', () => {
	const {refused, home, workspace} = places();
	for (const path of [
		'/usr/bin/env',
		`${workspace}/a.txt`,
		`${home}/.ssh/id_rsa`,
		`${home}/.env`,
		`${home}/.config/gh/hosts.yml`,
	]) {
		expect([path, refused(`${path}: No such file or directory`)]).toEqual([path, undefined]);
	}

	expect(refused(`cat: ${home}/.ssh/id_rsa: Permission denied`)).toBeUndefined();
	expect(refused('make: *** No rule to make target. Stop.')).toBeUndefined();
});

test('the network and a read-only file system are recognized as before', () => {
	const {refused} = places();
	expect(refused('npm error getaddrinfo EAI_AGAIN registry.example.com')).toBe('network');
	expect(refused('touch: cannot touch /usr/x: Read-only file system')).toBe('path');
});
