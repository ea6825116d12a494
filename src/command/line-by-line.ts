import {wantsLinear} from '../terminal/abilities.ts';
import type {CommandContext} from './context.ts';

/**
 * True if the app has no screen, also in a terminal that doesn't answer. In a shell: if it would have none, by the type of the
 * terminal, or because the user wants it so, however they said that.
 */
export function isLineByLine({program, ui}: CommandContext): boolean {
	const {store, local} = program;
	return ui.live
		? store.getState().isLineByLine === true
		: wantsLinear(local.env) || local.settings.value('accessible');
}
