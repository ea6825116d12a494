import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {buildSync} from 'esbuild';
import {afterAll, expect, test} from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'service-session-'));
afterAll(() => rmSync(folder, {recursive: true}));

/** A program that switches modes on and then runs the given code. */
const program = join(folder, 'program.mjs');
writeFileSync(
	join(folder, 'program.ts'),
	`import {createTerminalSession} from ${JSON.stringify(join(import.meta.dirname, '../../src/terminal/terminal-session.ts'))};
const stdout = {isTTY: true, write: (text: string) => process.stdout.write(text)};
const session = createTerminalSession({stdout, process, environment: {TERM: 'xterm'}});
session.start();
session.enable('bracketed-paste');
session.enable('hidden-cursor');
process.stdout.write('ready');
if (process.argv[2] === 'throw') setImmediate(() => { throw new Error('on purpose'); });
else if (process.argv[2] === 'reject') void Promise.reject(new Error('on purpose'));
else if (process.argv[2] === 'exit') process.exit(3);
else setInterval(() => {}, 1000);
`,
);
buildSync({entryPoints: [join(folder, 'program.ts')], outfile: program, bundle: true, platform: 'node', format: 'esm'});

async function run(way: string) {
	const child = spawn(process.execPath, [program, way], {stdio: ['ignore', 'pipe', 'ignore']});
	let output = '';
	child.stdout.setEncoding('utf8').on('data', (text: string) => {
		output += text;
		if (way.startsWith('SIG') && text.includes('ready')) {
			child.kill(way as NodeJS.Signals);
		}
	});
	const [status, signal] = await once(child, 'close');
	return {end: output.slice(output.indexOf('ready') + 5), status, signal};
}

const end = '\u001b[?25h\u001b[?2004l\u001b[0m';

test.each([
	['SIGTERM', null, 'SIGTERM'],
	['SIGHUP', null, 'SIGHUP'],
	['SIGINT', null, 'SIGINT'],
	['throw', 1, null],
	['reject', 1, null],
	['exit', 3, null],
])(
	'after %s the reset is the last thing that a real process writes, and its status is kept [5]',
	async (way, status, signal) => {
		expect(await run(way)).toEqual({end, status, signal});
	},
);
