import {AppError} from '../core/error.ts';
import {closest} from './closest.ts';
import type {Entry} from './context.ts';
import {allCommands} from './table.ts';
import {topics} from './topics/topics.ts';

/** Returns the error for words that the help has nothing about, with what may have been meant. */
export function unknownHelp(words: readonly string[], entries: readonly Entry[], inApp: boolean): AppError {
	const typed = words.join(' ').toLowerCase();
	const elsewhere = inApp ? 'shell' : 'app';
	const commands = allCommands(entries).flatMap(({path, command}) => (command.where === elsewhere ? [] : [path]));
	const names = [...commands, ...entries.map(({name}) => name), ...topics.map(({name}) => name)];
	const near = closest(typed, [...names, ...names.flatMap(name => name.split(' '))]);
	const like = names.filter(name => name.split(' ').includes(near ?? '') || name.includes(typed));
	const known = near !== undefined && names.includes(near) ? [near] : [...new Set(like)].slice(0, maxSuggested);
	const lines = known.map(name => `\`${commands.includes(name) ? name : `help ${name}`}\``);
	const meant = lines.length > 0 ? `Did you mean ${lines.join(', ').replace(/, (?=[^,]*$)/, ' or ')}? ` : '';
	return new AppError('usage', `No help about “${words.join(' ')}”.`, {
		hint: `${meant}Run \`help\` to see everything.`,
	});
}

/** Most commands that are suggested. */
const maxSuggested = 4;
