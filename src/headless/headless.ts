import type {Invocation} from '../command/invocation.ts';
import type {Surroundings} from '../command/program.ts';
import {abortable} from '../core/abortable.ts';
import {exitStatus, reportError} from '../core/error.ts';
import {refuseElsewhere} from '../session/resume-session.ts';
import {runOnce} from './once.ts';
import {printError, printJson, printWarning} from './print.ts';
import {readInput} from './read-input.ts';
import {resultWithoutRun} from './result-object.ts';

/** Where nobody watches, a run ends after so many calls of the model unless another number is given. */
const usualMaxTurns = 100;

type Once = Extract<Invocation, {mode: 'once'}>;

/** What one run needs of the program. */
type Part = 'conversation' | 'warnings' | 'resume' | 'onRecord' | 'loadCatalog' | 'folder' | 'chooseModel' | 'secrets';

type Streams = Pick<Parameters<typeof runOnce>[2], 'stdout' | 'stderr'> & {
	readonly stdin: Parameters<typeof readInput>[0];
	/** Aborts with the interrupt of the user, which may come before anything else. */
	readonly signal: AbortSignal;
};

/**
 * `service -p`: prompt from the flag and from standard input, one run, an exit status. What keeps the run from beginning,
 * be it an interrupt, is told to people on standard error, and to programs as the result that they wait for.
 */
export async function runHeadless(
	once: Once,
	surroundings: Pick<Surroundings<Part>, 'store' | 'compose'> & Streams,
): Promise<number> {
	const {store, compose, stdin, stdout, stderr, signal} = surroundings;
	const warn = (text: string) => printWarning(text, stderr);
	try {
		const piped = await abortable(readInput(stdin, {optional: once.prompt !== undefined, warn}), signal);
		const prompt = [once.prompt, piped.trimEnd()].filter(part => part?.trim()).join('\n\n');
		const program = await abortable(compose({...once, maxTurns: once.maxTurns ?? usualMaxTurns}), signal);
		for (const warning of program.warnings()) {
			warn(warning);
		}

		if (once.resume) {
			for (const notice of (await program.resume(once.resume, refuseElsewhere)) ?? []) {
				warn(notice);
			}
		}

		const wide = program.folder.unasked();
		if (wide) {
			// Nobody can be asked here, and who runs a script chose its folder.
			await program.folder.answer(true, {isOnce: true});
			warn(`The agent can read ${wide}. Run this in a project folder to narrow that.`);
		}

		await abortable(program.chooseModel(), signal);
		signal.throwIfAborted();
		signal.addEventListener('abort', () => program.conversation.interrupt());
		// Nobody can be asked here, and a model has no use for a key.
		const isMasked = once.approve !== 'all' && (await program.secrets.find(prompt));
		if (isMasked) {
			warn('The prompt contains an API key; the model gets it masked. Send it unmasked with --approve all.');
		}

		return await runOnce(isMasked ? program.secrets.hide(prompt) : prompt, once.format, {
			store,
			conversation: program.conversation,
			onRecord: program.onRecord,
			priceOf: program.loadCatalog,
			stdout,
			stderr,
		});
	} catch (error) {
		const report = reportError(error);
		printError(report, stderr, {json: false});
		if (once.format !== 'text') {
			printJson(resultWithoutRun(report), stdout);
		}

		return exitStatus[report.code];
	}
}
