import type {Invocation} from '../command/invocation.ts';
import type {Surroundings} from '../command/program.ts';
import {exitStatus, reportError} from '../core/error.ts';
import {emptyTranscript} from '../core/transcript.ts';
import {runOnce} from './once.ts';
import {printError, printJson, printWarning} from './print.ts';
import {readInput} from './read-input.ts';
import {resultObject} from './result-object.ts';

type Once = Extract<Invocation, {mode: 'once'}>;

/** What one run needs of the program. */
type Part = 'conversation' | 'warnings' | 'resume' | 'onRecord' | 'loadCatalog';

/**
 * `service -p`: prompt from the flag and from standard input, one run, an exit status. What keeps the run from beginning
 * is told to people on standard error, and to programs as the result that they wait for.
 */
export async function runHeadless(
	once: Once,
	{store, compose, stdin, stdout, stderr, onInterrupt}: Omit<Surroundings<Part>, 'env' | 'version'>,
): Promise<number> {
	const warn = (text: string) => printWarning(text, stderr);
	try {
		const piped = await readInput(stdin, {optional: once.prompt !== undefined, warn});
		const prompt = [once.prompt, piped.trimEnd()].filter(part => part?.trim()).join('\n\n');
		const program = await compose(once);
		for (const warning of program.warnings()) {
			warn(warning);
		}

		if (once.resume) {
			for (const notice of await program.resume(once.resume)) {
				warn(notice);
			}
		}

		onInterrupt(() => program.conversation.interrupt());
		return await runOnce(prompt, once.format, {
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
			const end = {type: 'run-end', reason: 'error', stopReason: 'error', error: report} as const;
			printJson(resultObject(emptyTranscript(''), end, {from: 0, usedBefore: 0, priceOf: () => undefined}), stdout);
		}

		return exitStatus[report.code];
	}
}
