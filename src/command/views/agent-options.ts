import type {AgentOption} from '../../agent/external/external-session.ts';
import {AppError} from '../../core/error.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import type {CommandContext} from '../context.ts';
import {type Result, unchanged} from '../result.ts';

/** What the user sets in the agent that answers, by the category of its option. */
const subjects = {
	model: {category: 'model', called: 'model'},
	effort: {category: 'thought_level', called: 'reasoning effort'},
} as const;

/**
 * Sets the model or the effort of the agent that answers in place of our own. Returns undefined if our own answers. Throws
 * AppError("usage") if the agent has no such option, or no such value of it.
 */
export async function setInAgent(
	subject: keyof typeof subjects,
	wanted: string | undefined,
	context: CommandContext,
): Promise<Result | undefined> {
	const {program, signal} = context;
	const {agent} = program.store.getState();
	const session = program.agents.current();
	if (!agent || !session) {
		return undefined;
	}

	await session.open(signal);
	const {category, called} = subjects[subject];
	const option = session.view().options.find(each => each.category === category || each.id === subject);
	if (!option) {
		throw new AppError('usage', `${agent.name} offers no choice of its ${called}.`, {
			hint: 'Set it in the agent itself, or return to our own agent: `/agent own`',
		});
	}

	return chooseValue(option, wanted, context);
}

/** Sets an option of the agent, to a value that the user names or selects. */
export async function chooseValue(
	{id, name, value: current, values}: AgentOption,
	wanted: string | undefined,
	{program, ui: {interact}, signal}: CommandContext,
): Promise<Result> {
	const title = safeLine(name);
	const chosen =
		wanted ??
		(await interact.choose({
			title,
			choices: values.map(each => ({
				id: each.value,
				label: safeLine(each.name),
				...(each.name !== each.value && {detail: safeLine(each.value)}),
			})),
			current,
		}));
	if (chosen === undefined) {
		return unchanged;
	}

	const found = values.find(each => each.value === chosen) ?? values.find(each => each.name === chosen);
	if (!found) {
		throw new AppError('usage', `${title} can't be “${chosen}”.`, {
			hint: `Choose one of ${values
				.slice(0, 8)
				.map(each => safeLine(each.value))
				.join(', ')}.`,
		});
	}

	await program.agents.current()?.setOption(id, found.value, signal);
	return {kind: 'text', text: `${title} is now ${safeLine(found.name)}.`, data: {option: id, value: found.value}};
}
