import {originalOf} from '../../contract/lenient.ts';
import {AppError} from '../../core/error.ts';
import {isJsonObject, type Json} from '../../core/json.ts';
import type {CommandContext} from '../context.ts';
import type {Result} from '../result.ts';

/**
 * Enables or disables models: reads the list, changes it, writes it. Throws AppError("usage") for an invalid id before
 * anything is sent, and AppError("failed") if the server doesn't return its list, which must not be overwritten then.
 */
export async function changeEnabledModels(
	given: readonly string[],
	enabled: boolean,
	{program, signal}: CommandContext,
): Promise<Result> {
	const ids = [...new Set(given)];
	const wrong = ids.find(id => !/^[^/\s]+\/\S+$/.test(id));
	if (wrong !== undefined) {
		throw new AppError('usage', `Invalid model “${wrong}”.`, {hint: 'Write it as provider/model-name.'});
	}

	const {client} = await program.servers.open();
	const preferences = await client.getUserPreferences({}, signal);
	const before = enabledIn(originalOf(preferences));
	const changed = ids.filter(id => before.includes(id) !== enabled);
	const word = enabled ? 'enabled' : 'disabled';
	const known = preferences.models?.map(({id}) => id);
	const notes = [
		...ids.filter(id => !changed.includes(id)).map(id => `${id} is ${enabled ? 'enabled already' : 'not enabled'}.`),
		...changed.filter(id => enabled && known && !known.includes(id)).map(id => `${id} is not in the server's catalog.`),
	];
	if (changed.length === 0) {
		return {kind: 'text', text: [...notes, 'Nothing changed.'].join('\n'), data: originalOf(preferences)};
	}

	const after = enabled ? [...before, ...changed] : before.filter(id => !changed.includes(id));
	const answer = await client.updateUserPreferences({body: {enabled_model_ids: after}}, signal);
	const text = [`${word[0]?.toUpperCase()}${word.slice(1)} ${changed.join(', ')}.`, ...notes].join('\n');
	return {kind: 'text', text, hint: countOf(answer.enabled_model_ids ?? after), data: originalOf(answer)};
}

function enabledIn(preferences: Json): readonly string[] {
	const list = isJsonObject(preferences) ? preferences['enabled_model_ids'] : undefined;
	if (!Array.isArray(list) || !list.every(id => typeof id === 'string')) {
		throw new AppError('failed', 'The server does not show which models are enabled.', {
			hint: 'Nothing changed. Check the server’s version.',
		});
	}

	return list;
}

function countOf(ids: readonly string[]): string {
	return ids.length === 1 ? 'One model is enabled.' : `${ids.length} models are enabled.`;
}
