import {entryOf} from '../../core/entry-of.ts';
import type {TaskInputs} from './inputs.ts';
import type {TaskDefinition} from './task-schema.ts';

/** The address of a sandbox's service. */
export type ServiceAddress = {readonly url: string; readonly port: number; readonly protocol: string};

const placeholder = /\{\{\s*([\w.-]+)\s*\}\}/g;

/**
 * Fills the placeholders of an instruction in one pass, so that inserted text is never expanded again. An optional
 * input without a value is replaced by nothing.
 */
export function renderInstruction(
	template: string,
	{inputs, services}: {readonly inputs: TaskInputs; readonly services: Readonly<Record<string, ServiceAddress>>},
): string {
	return template.replace(placeholder, (whole, path: string) => {
		const [kind, name = '', field = ''] = path.split('.');
		if (kind === 'inputs') {
			return Object.hasOwn(inputs, name) ? toText(inputs[name]) : '';
		}

		const service = kind === 'services' ? entryOf(services, name) : undefined;
		return service && (field === 'url' || field === 'port') ? String(service[field]) : whole;
	});
}

/** Returns the placeholders that name neither an input nor the `url` or `port` of a service. */
export function unknownPlaceholders({instruction, inputs, services}: TaskDefinition): readonly string[] {
	return [...instruction.matchAll(placeholder)].flatMap(([, path = '']) => {
		const [kind, name = '', field, ...more] = path.split('.');
		const isKnown =
			more.length === 0 &&
			((kind === 'inputs' && field === undefined && Object.hasOwn(inputs, name)) ||
				(kind === 'services' && Object.hasOwn(services, name) && (field === 'url' || field === 'port')));
		return isKnown ? [] : [path];
	});
}

function toText(value: unknown): string {
	return typeof value === 'string' ? value : JSON.stringify(value);
}
