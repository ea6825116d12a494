import {countHandedOver} from '../../agent/external/hand-over.ts';
import {AppError} from '../../core/error.ts';
import {formatAmount} from '../../core/format.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import type {CommandContext} from '../context.ts';
import type {Result} from '../result.ts';

/** What selects our own agent. */
const own = 'own';

/**
 * Lets another agent answer in the session, or our own again. It gets the conversation so far as text, which is asked about
 * first. Returns undefined if the user cancels.
 */
export async function switchAgent(wanted: string | undefined, context: CommandContext): Promise<Result | undefined> {
	const {program, ui} = context;
	const {store, agents} = program;
	if (program.session.hosted) {
		throw new AppError('usage', 'The host chose the agent of this session when it began.', {
			hint: 'Open a session of this terminal first: `/new`',
		});
	}

	const {agent: current, transcript} = store.getState();
	const chosen = wanted ?? (await chooseAgent(current?.name, context));
	if (chosen === undefined) {
		return undefined;
	}

	if (chosen === own) {
		if (current) {
			program.session.conversation.agentLeft();
			store.getState().setAgent(undefined);
		}

		return {kind: 'text', text: 'Our own agent answers now. It reads the conversation so far.', data: {agent: null}};
	}

	const agent = agents.find(chosen);
	const count = countHandedOver(transcript);
	if (count > 0) {
		const what = `${formatAmount(count, 'message')}, with the results of tools`;
		const isAgreed = await ui.interact.confirm(`Hand this conversation over to ${agent.name}?`, {
			facts: [
				['It gets', what],
				['Goes to', `${agent.command.join(' ')}, then to the provider of its model`],
			],
		});
		if (!isAgreed) {
			return undefined;
		}
	}

	store.getState().setAgent(agent);
	const given = count > 0 ? ' It gets the conversation so far as text.' : '';
	return {
		kind: 'text',
		text: `${agent.name} answers now.${given}`,
		hint: agent.isContained ? undefined : 'No sandbox holds it, and it may act without asking.',
		data: {agent: agent.name},
	};
}

async function chooseAgent(current: string | undefined, {program, ui}: CommandContext): Promise<string | undefined> {
	const listed = program.agents.list();
	return ui.interact.choose({
		title: 'Select the agent that answers',
		choices: [
			{id: own, label: 'our own agent', detail: program.store.getState().model ?? ''},
			...listed.map(({name, command}) => ({id: name, label: name, detail: command.join(' ')})),
		],
		current: current ?? own,
	});
}

/** Selects a mode of the agent that answers. Returns undefined if the user cancels. */
export async function setAgentMode(
	wanted: string | undefined,
	{program, ui: {interact}, signal}: CommandContext,
): Promise<Result | undefined> {
	const session = program.agents.current();
	if (!session) {
		throw new AppError('usage', 'Our own agent answers, whose modes are others.', {
			hint: 'See them: `approvals`',
		});
	}

	await session.open(signal);
	const {name, mode, modes, options} = session.view();
	const option = options.find(({category}) => category === 'mode');
	const values = option?.values ?? modes;
	if (values.length === 0) {
		throw new AppError('usage', `${name} has no modes.`);
	}

	const current = option?.value ?? mode;
	const chosen =
		wanted ??
		(await interact.choose({
			title: `Mode of ${name}`,
			choices: values.map(each => ({id: each.value, label: safeLine(each.name)})),
			...(current !== undefined && {current}),
		}));
	if (chosen === undefined) {
		return undefined;
	}

	const found = values.find(each => each.value === chosen || each.name === chosen);
	if (!found) {
		throw new AppError('usage', `${name} has no mode “${chosen}”.`, {
			hint: `Choose one of ${values.map(each => safeLine(each.value)).join(', ')}.`,
		});
	}

	await (option ? session.setOption(option.id, found.value, signal) : session.setMode(found.value, signal));
	return {kind: 'text', text: `${name} is now in the mode ${safeLine(found.name)}.`, data: {mode: found.value}};
}
