import {dispatch} from '../command/dispatch.ts';
import {takeGlobalFlags} from '../command/global-flags.ts';
import type {Surroundings} from '../command/program.ts';
import {exitStatus, reportError} from '../core/error.ts';
import {printError, printResult} from './print.ts';
import {createTerminalQuestions} from './terminal-questions.ts';

/** How a command line ended: with an exit status, or with a session that the app is to open. */
export type ShellOutcome =
	| {readonly status: number}
	| {readonly open: string; readonly profile: string | undefined; readonly insecureHttp: boolean};

/** Runs `service noun verb …`: the same file as the slash line, with the shell's own questions and printing. */
export async function runShell(
	words: readonly string[],
	{compose, env, stdin, stdout, stderr, onInterrupt}: Omit<Surroundings<'contextFor' | 'close'>, 'store' | 'version'>,
): Promise<ShellOutcome> {
	let json = words.includes('--json');
	try {
		const {flags, rest} = takeGlobalFlags(words);
		json = flags.json;
		const program = await compose({connect: false});
		const abort = new AbortController();
		onInterrupt(() => abort.abort());
		const interact = createTerminalQuestions({stdin, stderr});
		const result = await dispatch(rest, program.contextFor({interact, live: undefined, flags, signal: abort.signal}));
		await program.close();
		if (result.kind === 'panel' && result.panel.show === 'session') {
			return {open: result.panel.id, profile: flags.profile, insecureHttp: flags.insecureHttp};
		}

		printResult(result, stdout, {json, env});
		return {status: 0};
	} catch (error) {
		const report = reportError(error);
		printError(report, stderr, {json});
		return {status: exitStatus[report.code]};
	}
}
