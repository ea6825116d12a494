import {isAbort, messageOf} from '../../core/error.ts';
import type {ToolContext} from '../../core/session/tool.ts';
import type {AskUser} from '../../core/session/user-question.ts';
import {type ScopesNeeded, scopesNeeded} from './connection-error.ts';

type Options = {
	/** The name of the server. */
	readonly name: string;
	/** Saves scopes, which the next login asks for, too. */
	readonly want: (scopes: readonly string[]) => Promise<void>;
	/** Logs the user in again. Returns false if they cancel. */
	readonly logIn: (signal: AbortSignal) => Promise<boolean>;
};

type Asking = Pick<ToolContext, 'signal' | 'onNotice'> & {
	/** Asks the user; undefined if nobody can be asked. */
	readonly ask: AskUser | undefined;
	/** The name of the tool. */
	readonly tool: string;
};

/** What gets a login with more scopes if a call needs them. */
export type StepUp = {
	/**
	 * Calls a tool. If its login lacks scopes, asks the user for a new login, and then calls once more. Throws what the call
	 * throws, and the signal's reason.
	 */
	readonly around: <Result>(call: () => Promise<Result>, asking: Asking) => Promise<Result>;
};

/** Most questions of a server without a call that succeeded after them: it may want other scopes each time. */
const maxQuestions = 2;

/** Creates it for one server. The user is asked once for the same scopes. */
export function createStepUp(options: Options): StepUp {
	const asked = new Set<string>();
	let inVain = 0;
	const isGranted = async (needed: ScopesNeeded, asking: Asking) => {
		const key = needed.scopes.toSorted().join(' ');
		if (!key || !asking.ask || asked.has(key) || inVain >= maxQuestions) {
			return false;
		}

		asked.add(key);
		inVain++;
		return logInAgain(needed, asking.ask, asking, options);
	};
	return {
		async around(call, asking) {
			for (let isRepeated = false; ; isRepeated = true) {
				try {
					const result = await call();
					inVain = isRepeated ? 0 : inVain;
					return result;
				} catch (error) {
					const needed = scopesNeeded(error);
					if (!needed) {
						throw error;
					}

					await options.want(needed.scopes);
					if (isRepeated || !(await isGranted(needed, asking))) {
						warn(needed, asking, options);
						throw error;
					}
				}
			}
		},
	};
}

async function logInAgain(
	{message, scopes}: ScopesNeeded,
	ask: AskUser,
	{signal, tool, onNotice}: Asking,
	{name, logIn}: Options,
): Promise<boolean> {
	const what = scopes.length > 1 ? 'them' : 'it';
	const answer = await ask(
		{
			question: `The MCP server ${name} refused ${tool}: ${message}.\nLog in again to ask for ${what}?`,
			choices: [{label: 'Log in'}, {label: 'Not now'}],
			form: {initial: '', mayBeEmpty: false, isNext: false, refusal: 'Not now'},
		},
		signal,
	);
	if (answer !== 'Log in') {
		return false;
	}

	try {
		return await logIn(signal);
	} catch (error) {
		signal.throwIfAborted();
		if (isAbort(error)) {
			return false;
		}

		onNotice?.(messageOf(error), {isWarning: true});
		return false;
	}
}

function warn({message, hint}: ScopesNeeded, {onNotice, tool}: Asking, {name}: Options): void {
	onNotice?.(`The MCP server ${name} refused ${tool}: ${message}.`, {isWarning: true, hint});
}
