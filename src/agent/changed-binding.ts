import type {CommandPlace} from '../core/command-words.ts';
import {AppError} from '../core/error.ts';
import type {RequestEndpoint} from '../core/session/request-record.ts';

/** What the user has to agree to before the next request. `from` is undefined if that isn't known any more. */
export type BindingChange = {
	readonly model: string;
	readonly from: RequestEndpoint | undefined;
	readonly to: RequestEndpoint;
	readonly what: 'host' | 'key' | 'price';
};

/** Returns the question to the user before a session goes on with another host or key, or at a higher price. */
export function questionAbout(change: BindingChange) {
	const {what, to, model, from} = change;
	const question =
		what === 'host'
			? `Send this conversation to ${placeOf(to)}?`
			: what === 'key'
				? `Continue with another key for ${placeOf(to)}?`
				: `Continue at a higher price?`;
	return {
		question,
		about: {
			title: titleOf(change),
			facts: [
				['Model', model],
				['So far', from ? fullPlaceOf(from) : 'not recorded'],
				['Now', fullPlaceOf(to)],
			] as const,
		},
	};
}

/**
 * Returns the error of a request that was not sent, because the user did not agree to where it would go. In a shell only a
 * flag selects the model of a session.
 */
export function refusedChange(change: BindingChange, place: CommandPlace): AppError {
	const {model} = change;
	return new AppError('failed', `Nothing was sent. ${titleOf(change)}`, {
		hint: `To continue with it: ${place === 'app' ? `\`model use ${model}\`` : `add --model ${model}`}`,
	});
}

function titleOf({what, from, to, model}: BindingChange): string {
	switch (what) {
		case 'host':
			return from
				? `This session uses ${placeOf(from)}, but ${model} is now at ${placeOf(to)}.`
				: `This session used another model, and it isn't known where. ${model} is at ${placeOf(to)}.`;
		case 'key':
			return `The key for ${placeOf(to)} changed since this session began.`;
		default:
			return `The price of ${model} rose since this session's last request.`;
	}
}

function placeOf({host}: RequestEndpoint): string {
	return host === 'demo' ? 'the demo model on this machine' : host;
}

function fullPlaceOf(endpoint: RequestEndpoint): string {
	const {key} = endpoint;
	return `${placeOf(endpoint)}${key === 'none' ? '' : key === 'stored' ? ', stored key' : `, key from ${key}`}`;
}
