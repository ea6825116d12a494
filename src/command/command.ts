import {parseArguments} from './arguments.ts';
import type {Command, Definition, Noun, Shape} from './context.ts';

/** Defines a command. */
export function command<const S extends Shape>(definition: Definition<S>): Command {
	const {run, ...rest} = definition;
	return {
		...rest,
		async execute(values, context) {
			return run(parseArguments(definition.args, values, definition.positional), context);
		},
	};
}

/** Defines a family of commands. */
export function noun(definition: Noun): Noun {
	return definition;
}
