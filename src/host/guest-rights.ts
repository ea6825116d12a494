import {AppError} from '../core/error.ts';
import {isJsonObject, type Json} from '../core/json.ts';
import type {QuestionKind, RequestMethod} from '../link/protocol.ts';

/**
 * What a guest who drives may do with a session. The rest is its owner's: other sessions, commands of the user, the mode, the model,
 * and slash commands, which reach the settings of the owner.
 */
const guestVerbs: ReadonlySet<string> = new Set([
	'send',
	'interrupt',
	'compact',
	'undo_compaction',
	'pin',
	'take_queue',
	'move_queued',
	'background',
	'prepare',
	'paths',
]);

/**
 * Returns the parameters of a request of whoever came by a link, without what reaches beyond the session and the link's end. Throws
 * AppError("auth") for what only the owner of the session may do.
 */
export function asGuest<Params>(method: RequestMethod, params: Params): Params {
	if (!isJsonObject(params)) {
		return params;
	}

	if (method === '_service/act' && !guestVerbs.has(String(params['verb']))) {
		throw new AppError('auth', 'Only the owner of the session may do this.', {hint: 'Ask the owner.'});
	}

	return method === '_service/answer' ? ({...params, value: onceOnly(params['value'])} as Params) : params;
}

/** Returns true for a question that no guest is asked: an answer may be kept, or be about the mode or the model. */
export function isOfOwner(kind: QuestionKind): boolean {
	return kind !== 'approval' && kind !== 'user';
}

/** An answer of a guest counts for the question alone: no rule is kept, and nothing is allowed from now on. */
function onceOnly(value: Json | undefined): Json | undefined {
	if (!isJsonObject(value)) {
		return value;
	}

	const {keep: _keep, always: _always, ...once} = value;
	return once;
}
