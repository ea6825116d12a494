import type {AgentCommand} from '../../agent/external/agent-command.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import type {AgentCheck} from '../parts.ts';
import type {Result} from '../result.ts';

/** Returns what an agent said of itself and of a new session. */
export function checkedAgent({name, command}: AgentCommand, {facts, view}: AgentCheck): Result {
	const {title, version, canLoad, canResume, seesImages, signIns} = facts;
	const {modes, options, commands} = view;
	const named = (values: readonly {readonly name: string}[]) => values.map(each => safeLine(each.name)).join(', ');
	const continues = canResume || canLoad;
	return {
		kind: 'record',
		fields: [
			['agent', name],
			['command', command.join(' ')],
			['says it is', safeLine(title) || 'nothing'],
			['protocol', `version ${version}`],
			['continues sessions', continues ? 'yes' : 'no, it gets them as text'],
			['images', seesImages ? 'yes' : 'no'],
			['modes', named(modes) || 'none'],
			...options.map(option => [safeLine(option.name), named(option.values)] as const),
			['commands', commands.map(each => `/${each.name}`).join(', ') || 'none so far'],
			['sign-in', named(signIns) || 'none'],
		],
		data: {
			name,
			command: [...command],
			title,
			protocol_version: version,
			continues,
			images: seesImages,
			modes: modes.map(({value, name: label}) => ({id: value, name: label})),
			options: options.map(({id, name: label, category, value, values}) => ({
				id,
				name: label,
				category,
				value,
				values: values.map(each => each.value),
			})),
			auth_methods: signIns.map(({id, name: label}) => ({id, name: label})),
		},
	};
}
