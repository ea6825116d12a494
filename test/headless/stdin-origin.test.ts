import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {closeSync, mkdirSync, openSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import fc from 'fast-check';
import {expect, onTestFinished, test} from 'vitest';
import {hasWriter, originOf} from '../../src/headless/read-input.ts';
import {temporaryFolder} from '../storage/temporary.ts';

type Listed = {readonly id: number; readonly parent: number; readonly name: string; readonly links: readonly string[]};

/** Returns a folder that lists processes as Linux does, with what their first descriptors are. */
function listing(processes: readonly Listed[]): string {
	const folder = temporaryFolder();
	for (const {id, parent, name, links} of processes) {
		mkdirSync(join(folder, String(id), 'fd'), {recursive: true});
		writeFileSync(join(folder, String(id), 'comm'), `${name}\n`);
		writeFileSync(join(folder, String(id), 'stat'), `${id} (${name}) S ${parent} 1 1 0 -1`);
		for (const [descriptor, link] of links.entries()) {
			symlinkSync(link, join(folder, String(id), 'fd', String(descriptor)));
		}
	}

	return folder;
}

/** A descriptor of a real pipe, which is all that the file system tells of it. */
async function pipe(): Promise<number> {
	const child = spawn('sleep', ['30'], {stdio: ['pipe', 'ignore', 'ignore']});
	onTestFinished(async () => {
		child.kill('SIGKILL');
		await once(child, 'exit');
	});
	await once(child, 'spawn');
	return Number(Reflect.get(Reflect.get(child.stdin, '_handle'), 'fd'));
}

const own = {id: 9, parent: 8, name: 'node', links: ['pipe:[1]', '/dev/null', '/dev/null']};
const above = (name: string, input: string) => ({id: 8, parent: 7, name, links: [input, '/dev/null']});
const outer = {id: 7, parent: 0, name: 'init', links: ['/dev/null']};

test.each([
	['bash', '/dev/pts/1', 'command'],
	['-zsh', 'pipe:[7]', 'command'],
	['dash', 'pipe:[1]', 'program'],
	['python3', 'pipe:[7]', 'program'],
	['sshd', '/dev/null', 'program'],
	['bashful', '/dev/null', 'program'],
])('a pipe below %s, whose own input is %s, comes from: %s', async (name, input, expected) => {
	const descriptor = await pipe();
	const self = {...own, links: [...Array(descriptor).fill('/dev/null'), 'pipe:[1]']};
	const processes = listing([self, above(name, input), outer]);
	expect(originOf(descriptor, {processes, own: 9, parent: 8})).toBe(expected);
});

const shell = {name: 'bash', input: '/dev/pts/1'};
const runner = {name: 'Runner.Worker', input: 'pipe:[5]'};

test.each([
	['timeout of a shell', ['timeout'], shell, 'command'],
	['sudo and time of a shell', ['time', 'sudo'], shell, 'command'],
	['a script of a shell', ['bash'], shell, 'unknown'],
	['npm, which starts a shell, of a shell', ['sh', 'npm run review'], shell, 'unknown'],
	['a program of a shell, which reads its input itself', ['python3'], shell, 'program'],
	['a script of CI', ['bash'], runner, 'program'],
	['timeout in a script of CI', ['timeout', 'bash'], runner, 'program'],
	['npm in a script of CI', ['sh', 'npm run review', 'bash'], runner, 'program'],
])('a pipe that was given to %s comes from its maker', async (_, given, {name, input}, expected) => {
	const descriptor = await pipe();
	const chain = [...given.map(each => ({name: each, input: 'pipe:[1]'})), {name, input}];
	const processes = listing([
		{...own, id: 90, parent: 80, links: [...Array(descriptor).fill('/dev/null'), 'pipe:[1]']},
		...chain.map((each, index) => ({id: 80 - index, parent: 79 - index, name: each.name, links: [each.input]})),
	]);
	expect(originOf(descriptor, {processes, own: 90, parent: 80})).toBe(expected);
});

test('a pipe of the first process of a container is unknown', async () => {
	const descriptor = await pipe();
	const self = {...own, id: 2, parent: 1, links: [...Array(descriptor).fill('/dev/null'), 'pipe:[1]']};
	const processes = listing([self, {id: 1, parent: 0, name: 'sh', links: ['pipe:[1]']}]);
	expect(originOf(descriptor, {processes, own: 2, parent: 1})).toBe('unknown');
});

test('a pipe is unknown where processes are not listed', async () => {
	expect(originOf(await pipe(), {processes: '/nowhere', own: 9, parent: 8})).toBe('unknown');
});

test.each([
	['/dev/null', 'none'],
	['/dev/zero', 'device'],
	['/tmp', 'folder'],
	['/etc/hostname', 'file'],
])('%s is: %s', (path, expected) => {
	const descriptor = openSync(path, 'r');
	expect(originOf(descriptor)).toBe(expected);
	closeSync(descriptor);
});

test('a closed descriptor is none', () => {
	expect(originOf(9999)).toBe('none');
});

test('only the output of a process beside us writes to our pipe', () => {
	const processes = fc.record({
		name: fc.constantFrom('git', ') S 7 (', 'a b', 'sleep'),
		output: fc.constantFrom('pipe:[1]', 'pipe:[2]', '/dev/null'),
		errors: fc.constantFrom('pipe:[1]', '/dev/null'),
	});
	fc.assert(
		fc.property(fc.array(processes, {maxLength: 4}), fc.boolean(), (others, isHeldAbove) => {
			const folder = listing([
				own,
				{...above('node', '/dev/null'), links: ['/dev/null', isHeldAbove ? 'pipe:[1]' : '/dev/null']},
				outer,
				...others.map(({name, output, errors}, index) => ({
					...{id: 20 + index, parent: 8, name},
					links: ['/dev/null', output, errors],
				})),
			]);
			const isWritten = others.some(({output, errors}) => [output, errors].includes('pipe:[1]'));
			expect(hasWriter(0, {processes: folder, own: 9, parent: 8})).toBe(isWritten);
		}),
		{numRuns: 60},
	);
});
