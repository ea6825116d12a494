import type {ToolDefinition} from '../../core/session/tool.ts';
import {renameProperties} from '../schema/argument-names.ts';
import {fitSchema} from '../schema/fit-schema.ts';
import type {SentTool} from './repair.ts';

/** Most characters of the schema of one tool. */
const maxSchemaLength = 200_000;

const fittedTools = new WeakMap<ToolDefinition, Map<RegExp | undefined, SentTool | undefined>>();

/** Returns a tool whose schema fits all hosts of a wire format; undefined for one that is too large for any. */
export function fitTool(given: ToolDefinition, argumentName: RegExp | undefined): SentTool | undefined {
	const known = fittedTools.get(given) ?? new Map<RegExp | undefined, SentTool | undefined>();
	fittedTools.set(given, known);
	if (!known.has(argumentName)) {
		const {name, description, parameters} = given;
		const fitted = fitSchema(parameters);
		const renamed = argumentName && renameProperties(fitted, argumentName);
		const schema = renamed?.schema ?? fitted;
		const isTooLarge = JSON.stringify(schema).length > maxSchemaLength;
		const tool = {name, description, parameters: schema, given, argumentNames: renamed?.names};
		known.set(argumentName, isTooLarge ? undefined : tool);
	}

	return known.get(argumentName);
}
