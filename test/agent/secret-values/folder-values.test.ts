import {execFileSync} from 'node:child_process';
import {mkdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {folderValues} from '../../../src/agent/secret-values/folder-values.ts';
import {createForeground} from '../../../src/agent/tools/command/foreground.ts';
import {createJobs} from '../../../src/agent/tools/command/jobs.ts';
import {createUserShell} from '../../../src/agent/user-shell.ts';
import {temporaryFolder} from '../../storage/temporary.ts';

const value = 'kX9/mQ2+vB7nL4wZ8tR1';

function folderWith(files: Readonly<Record<string, string>>): string {
	const folder = temporaryFolder();
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, name)), {recursive: true});
		writeFileSync(join(folder, name), text);
	}

	return folder;
}

test.each([
	'.env',
	'packages/api/.env.local',
	'a/b/c/d/e/f/g/h/.dev.vars',
	'deploy/.aws/credentials',
	'infra/prod.tfvars',
	'with space/line\nend/secrets.yaml',
])('[8] knows the values of %j', async name => {
	expect(await folderValues(folderWith({[name]: `api_token=${value}\n`}))).toEqual([value]);
});

test.each(['.env.example', 'node_modules/a/.env', 'src/token.ts', '.git/.env'])('reads no values of %j', async name => {
	expect(await folderValues(folderWith({[name]: `api_token=${value}\n`}))).toEqual([]);
});

test('[8] a change is noticed at once, a new file after a tool that may write; the list stays the same until then', async () => {
	const folder = folderWith({'.env': `API_TOKEN=${value}\n`});
	const first = await folderValues(folder);
	expect(await folderValues(folder)).toBe(first);
	writeFileSync(join(folder, '.env'), 'API_TOKEN=another-horse\n');
	expect(await folderValues(folder)).toEqual(['another-horse']);
	writeFileSync(join(folder, '.env.local'), 'API_TOKEN=a-third-horse\n');
	expect(await folderValues(folder, true)).toEqual(['another-horse', 'a-third-horse']);
});

test('a link to a secret file counts, a pipe and a file that can’t be read are left out', async () => {
	const elsewhere = folderWith({token: `API_TOKEN=${value}\n`});
	const folder = temporaryFolder();
	symlinkSync(join(elsewhere, 'token'), join(folder, '.env'));
	symlinkSync(join(folder, 'missing'), join(folder, '.env.local'));
	execFileSync('mkfifo', [join(folder, '.env.pipe')]);
	expect(await folderValues(folder)).toEqual([value]);
});

function has(program: string): boolean {
	try {
		execFileSync('sh', ['-c', `command -v ${program}`]);
		return true;
	} catch {
		return false;
	}
}

/** Commands that print a file, by the program that they need. */
const commands = [
	['cat', 'cat FILE'],
	['base64', 'base64 FILE'],
	['base64', 'base64 -w 20 FILE'],
	['base64', 'head -c 40 FILE | base64'],
	['xxd', 'xxd FILE'],
	['xxd', 'xxd -p FILE'],
	['xxd', 'xxd -u -c 8 FILE'],
	['xxd', 'xxd -i FILE'],
	['hexdump', 'hexdump FILE'],
	['hexdump', 'hexdump -C FILE'],
	['od', 'od -c FILE'],
	['od', 'od -An -tx1 FILE'],
	['fold', 'fold -w 7 FILE'],
	['sed', "sed 's/./& /g' FILE"],
	['nl', 'nl FILE'],
	['grep', 'grep --color=always -r TOKEN .'],
	['openssl', 'openssl base64 -in FILE'],
	['python3', 'python3 -c \'import json;print(json.dumps(json.dumps(open("FILE").read())))\''],
	['python3', 'python3 -c \'import urllib.parse as u;print(u.quote(open("FILE").read(), safe=""))\''],
	['python3', 'python3 -c \'print(open("FILE","rb").read().hex("-"))\''],
	['node', "node -p \"Buffer.from(require('fs').readFileSync('FILE')).toString('base64url')\""],
] as const;

describe('[8] neither the screen nor the model sees a value of a nested file', () => {
	for (const [program, command] of commands) {
		test.skipIf(!has(program))(`${command}${has(program) ? '' : ` (${program} is not installed)`}`, async () => {
			const folder = folderWith({'packages/api/.env': `NAME=shop\nAPI_TOKEN="${value}"\nPORT=3000\n`});
			const pieces: string[] = [];
			const shell = createUserShell(
				{PATH: process.env['PATH'] ?? '', SHELL: '/bin/sh'},
				createForeground(createJobs()),
			);
			const {output} = await shell(command.replaceAll('FILE', 'packages/api/.env'), {
				folder,
				signal: new AbortController().signal,
				onOutput: (text, _, redrawn) => pieces.push(text, redrawn?.shown ?? ''),
			});
			for (const shown of [output, pieces.join('')]) {
				expect(shown).toContain('***');
				const plain = shown.replace(/^[\da-f]{7,8}:?/gim, '').replace(/\s+/g, '');
				const hex = Buffer.from(value).toString('hex');
				const base64 = [0, 1, 2].map(shift =>
					Buffer.from('x'.repeat(shift) + value)
						.toString('base64')
						.slice(5, 20),
				);
				for (const part of [value.slice(0, 8), value.slice(-8), hex.slice(0, 20), hex.slice(-20), ...base64]) {
					expect(plain.toLowerCase()).not.toContain(part.toLowerCase());
				}
			}
		});
	}
});
