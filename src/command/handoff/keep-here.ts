import {AppError} from '../../core/error.ts';
import type {Handoff} from '../../core/session/event.ts';
import {handoffNotice, isElsewhere} from '../../session/settle-handoff.ts';
import type {SessionSummary} from '../../storage/session-summary.ts';
import type {CommandContext} from '../context.ts';
import {withHandoffPlace} from './handoff-place.ts';

/**
 * Records that a session continues here whose other place is gone for good. Returns false if the user cancels. Throws
 * AppError("conflict") for one that was never handed over, and for one that the other place has: as long as that answers, the session
 * runs there, or comes back from there.
 */
export async function keepHere(file: SessionSummary, context: CommandContext): Promise<boolean> {
	const {saved} = context.program.session;
	const {handoff} = (await saved.read(file)).transcript;
	if (handoff === undefined || handoff.state === 'kept') {
		throw new AppError('conflict', `Session ${file.id.slice(0, 8)} is here.`, {
			hint: `Resume it: \`resume ${file.id.slice(0, 8)}\``,
		});
	}

	const isThere = await askIfReached(handoff, context);
	if (isThere) {
		throw isElsewhere(file.id, handoff);
	}

	if (isThere === false) {
		await saved.record(file, handoffNotice({...handoff, state: 'kept'}));
		return true;
	}

	const {state, to} = handoff;
	const facts = [
		['Elsewhere', `${to} ${state === 'moved' ? 'has' : 'may have'} this session, and can’t be asked`],
		['Here', 'it continues as it was when it was handed over'],
	] as const;
	const question = 'Continue it here all the same? It may then continue at two places.';
	if (!(await context.ui.interact.confirm(question, {facts}))) {
		return false;
	}

	await saved.record(
		file,
		handoffNotice(
			{...handoff, state: 'kept'},
			`This session continues here, as it was when it was handed over to ${to}.`,
		),
	);
	return true;
}

/** Returns whether the other place has a session, which it will never accept otherwise; undefined if it can't be asked. */
async function askIfReached({at, key}: Handoff, context: CommandContext): Promise<boolean | undefined> {
	if (at === undefined) {
		return undefined;
	}

	try {
		return await withHandoffPlace(
			at || undefined,
			context,
			async ({ask}) => (await ask('_service/handoff_ask', {key})).has,
		);
	} catch (error) {
		if (error instanceof AppError && error.code !== 'interrupted') {
			return undefined;
		}

		throw error;
	}
}
