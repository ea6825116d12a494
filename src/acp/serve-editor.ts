import process from 'node:process';
import type {Surroundings} from '../command/program.ts';
import {AppError, exitStatus} from '../core/error.ts';
import {createEditorAgent, type EditorAgent} from './editor-agent.ts';
import {connectEditor} from './protocol.ts';
import type {SessionKeeper} from './session-keeper.ts';

type Options = Pick<Surroundings, 'stdin' | 'stdout' | 'version'> & {
	readonly keeper: SessionKeeper;
	/** Aborts when the user, or the system, ends the program. */
	readonly signal: AbortSignal;
};

/** How long sessions may take to end their commands and MCP servers. */
const closeMs = 10_000;

/**
 * Runs `service acp`: answers an editor on standard input and output until it closes them, or the process is to end. Then every
 * turn is cancelled, and what the sessions started is ended. Returns the exit status. Throws AppError("failed") if the editor
 * sent what can't be read.
 */
export async function serveEditor({stdin, stdout, signal, version, ...options}: Options): Promise<number> {
	const {closed, close, agent} = open({stdin, stdout, version, ...options});
	const ended = await new Promise<{readonly status: number; readonly fault?: string | undefined}>(resolve => {
		void closed.then(fault => resolve({status: 0, fault}));
		const interrupt = () => resolve({status: exitStatus.interrupted});
		signal.addEventListener('abort', interrupt, {once: true});
		process.once('SIGHUP', interrupt);
		// An editor that was killed reads nothing any more: the streams may tell before the connection does.
		stdout.removeAllListeners('error').on('error', () => resolve({status: 0}));
		stdin.on('error', () => resolve({status: 0}));
	});
	const timeout = new Promise<void>(resolve => setTimeout(resolve, closeMs).unref());
	await Promise.race([agent.close(), timeout]);
	close();
	if (ended.fault !== undefined) {
		throw new AppError('failed', ended.fault, {hint: 'Attach less to one message.'});
	}

	return ended.status;
}

function open({stdin, stdout, version, keeper}: Omit<Options, 'signal'>) {
	let agent: EditorAgent | undefined;
	const connection = connectEditor({input: stdin, output: stdout}, version, editor => {
		agent = createEditorAgent({editor, version, keeper});
		return agent.handlers;
	});
	if (!agent) {
		throw new Error('The connection has no agent.');
	}

	return {...connection, agent};
}
