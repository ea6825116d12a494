import {PassThrough} from 'node:stream';
import {runShell} from '../../src/headless/shell.ts';
import {compose} from '../../src/program/program.ts';
import {createAppStore} from '../../src/store/store.ts';
import {temporaryFolder} from '../storage/temporary.ts';

type Options = {
	readonly env: Readonly<Record<string, string>>;
	/** True if stdout and stderr are terminals of 80 columns. */
	readonly isTerminal?: boolean;
};

/** Runs a command line in the real program; its output can be read while it runs. */
export function shell(words: readonly string[], {env, isTerminal = false}: Options) {
	const [stdout, stderr] = [stream(isTerminal), stream(isTerminal)];
	const store = createAppStore();
	let interrupt: () => void = () => undefined;
	const home = temporaryFolder();
	const outcome = runShell(words, {
		compose: async options =>
			compose({
				...options,
				store,
				env: {...env, SERVICE_HOME: home},
				folder: temporaryFolder(),
				workerUrl: new URL('../../dist/server-worker.js', import.meta.url),
				version: '0.0.0',
			}),
		env,
		version: '0.0.0',
		stdin: Object.assign(new PassThrough(), {isTTY: false}) as NodeJS.ReadStream & PassThrough,
		stdout: stdout.end,
		stderr: stderr.end,
		onInterrupt(listener) {
			interrupt = listener;
		},
	});
	return {
		outcome,
		stdout: stdout.text,
		stderr: stderr.text,
		/** Interrupts, as Ctrl+C does. */
		interrupt: () => interrupt(),
	};
}

function stream(isTTY: boolean) {
	let text = '';
	const end = Object.assign(new PassThrough(), {isTTY, columns: 80}) as NodeJS.WriteStream & PassThrough;
	end.on('data', (chunk: Buffer) => {
		text += chunk.toString();
	});
	return {end, text: () => text};
}
