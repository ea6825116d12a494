import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import type {AgentEvent, Handoff} from '../core/session/event.ts';
import {findHost} from '../link/find-host.ts';
import type {AskHost} from '../link/host-client.ts';
import {isWebPlace} from '../link/web-place.ts';
import type {SavedSessions} from '../storage/session-access.ts';
import type {SessionFile} from '../storage/session-folder.ts';

type Settling = {
	readonly env: Environment;
	readonly version: string;
	readonly record: SavedSessions['record'];
};

/**
 * Asks the host that a session was offered to whether it has it, and records the answer: a session may run at one place. Returns if it
 * is here. Throws AppError("conflict") if it is there, or that isn't known.
 */
export async function settleHandoff(session: SessionFile, handoff: Handoff, settling: Settling): Promise<void> {
	const {state, at, to} = handoff;
	const short = session.id.slice(0, 8);
	if (state === 'moved') {
		throw isElsewhere(session.id, handoff);
	}

	if (at === undefined) {
		throw new AppError('conflict', `Session ${short} may have moved to ${to}.`, {
			hint: `Run the same hand-over there again. If that machine is gone: \`handoff --keep --session ${short}\``,
		});
	}

	// The login of a server is a matter of commands.
	const words = handoffWords({session: session.id, at});
	const wish = {at: at || undefined, env: settling.env, version: settling.version, isDrawn: true};
	const client = isWebPlace(at) ? undefined : await findHost(wish).catch(() => undefined);
	if (!client) {
		throw new AppError('conflict', `${to} may have session ${short}, and can’t be asked now.`, {
			hint: `Ask it: \`handoff ${words}\`. If it is gone for good: \`handoff --keep --session ${short}\``,
		});
	}

	try {
		if (!(await askWhetherThere(session, handoff, {ask: client.request, record: settling.record}))) {
			return;
		}
	} finally {
		client.close();
	}

	throw isElsewhere(session.id, handoff);
}

/** Asks a host whether it has a session that was offered to it, and records the answer. A host that hasn't will never accept it. */
export async function askWhetherThere(
	session: SessionFile,
	handoff: Handoff,
	{ask, record}: {readonly ask: AskHost; readonly record: SavedSessions['record']},
): Promise<boolean> {
	const {has} = await ask('_service/handoff_ask', {key: handoff.key});
	await record(session, handoffNotice({...handoff, state: has ? 'moved' : 'kept'}));
	return has;
}

/** Returns the record of where a session is, with a sentence that says so. */
export function handoffNotice(handoff: Handoff, text?: string): AgentEvent {
	const {state, to} = handoff;
	const texts = {
		offered: `Handing this session over to ${to}.`,
		moved: `This session continues at ${to}.`,
		kept: `${to} doesn’t have this session. It continues here.`,
	};
	const hint = backHint(handoff);
	return {
		type: 'notice',
		level: 'info',
		text: text ?? texts[state],
		...(state === 'moved' && hint !== undefined && {hint}),
		handoff,
	};
}

/** The error of a session that is elsewhere now. */
export function isElsewhere(session: string, handoff: Handoff): AppError {
	return new AppError('conflict', `Session ${session.slice(0, 8)} was handed over to ${handoff.to}.`, {
		hint: backHint(handoff) ?? 'Hand it over from there.',
	});
}

/** Returns how a session comes back; undefined from a place that only the other side can name. */
export function backHint({key, at}: Pick<Handoff, 'key' | 'at'>): string | undefined {
	const words = handoffWords({session: key, at: at ?? '', isBack: true});
	return at === undefined ? undefined : `Bring it back: \`handoff ${words}\``;
}

/** Returns what follows `handoff` in a command that hands a session over. */
export function handoffWords(line: {
	readonly session: string;
	/** '' for the host of this machine. */
	readonly at: string;
	readonly isBack?: boolean;
}): string {
	const {session, at, isBack = false} = line;
	return [...(at ? [at] : []), ...(isBack ? ['--back'] : []), '--session', session.slice(0, 8)].join(' ');
}
