import {wantsLinear} from '../terminal/abilities.ts';
import type {CommandContext} from './context.ts';

/** True if the app has no screen: by the type of the terminal, or because the user wants it so, however they said that. */
export function isLineByLine({program}: CommandContext): boolean {
	return wantsLinear(program.local.env) || program.local.settings.value('accessible');
}
