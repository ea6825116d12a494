import {type SettingKey, settingTable} from '../../config/settings/setting-table.ts';
import {allowedValues} from '../../config/settings/setting-value.ts';
import {nameCommands} from '../../core/command-words.ts';
import {reportError} from '../../core/error.ts';
import type {Choice} from '../../core/question.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {lineWidth, padEnd, truncate} from '../../terminal/text/width.ts';
import type {CommandContext} from '../context.ts';
import {type Result, unchanged} from '../result.ts';
import {changeNotice, changeSetting, unchangeable} from './change-setting.ts';
import {type SettingState, settingStates} from './setting-states.ts';
import {settingText, sourceText} from './setting-views.ts';

/** Stands for “no saved value” among the values of a setting. */
const unset = '';

/**
 * Lets the user change settings in a list until they close it: Enter toggles a switch, and asks for any other value. Returns
 * the sentences about what changed.
 */
export async function editSettings(context: CommandContext): Promise<Result> {
	const {
		ui: {interact},
	} = context;
	const changes = new Map<SettingKey, string>();
	let opensAt: string | undefined;
	for (;;) {
		const states = await settingStates(context);
		opensAt = await interact.choose({title: 'Settings', choices: choicesOf(states), opensAt});
		const state = states.find(({key}) => key === opensAt);
		if (!state) {
			const text = [...changes.values()].join('\n');
			return {...(text ? {kind: 'text', text} : unchanged), data: {changed: [...changes.keys()]}};
		}

		try {
			const sentence = await edit(state, context);
			if (sentence) {
				changes.set(state.key, sentence);
				interact.say(sentence);
			}
		} catch (error) {
			context.signal.throwIfAborted();
			const {message, hint} = reportError(error);
			interact.say(nameCommands([message, hint].filter(Boolean).join(' '), 'app'));
		}
	}
}

/** Cells of the column of values, so that the meaning of a setting stands beside it in 80 columns: a longer one moves its own. */
const valueColumn = 22;
/** Most cells of a value. */
const maxValueWidth = 40;

function choicesOf(states: readonly SettingState[]): readonly Choice[] {
	const values = states.map(state => truncate(valueText(state), maxValueWidth));
	const width = Math.max(...values.map(lineWidth).filter(cells => cells <= valueColumn));
	return states.map(({key}, index) => ({
		id: key,
		label: key,
		detail: `${padEnd(values[index] ?? '', width)}  ${settingTable[key].summary}`,
	}));
}

/** Returns the value, and where it comes from unless it is the default. */
function valueText(state: SettingState): string {
	const value = safeLine(settingText(state));
	return state.source === 'default' ? value : `${value} · ${sourceText(state)}`;
}

/** Changes one setting. Returns a sentence about it; undefined if the user cancels. Throws as `changeSetting` does. */
async function edit(state: SettingState, context: CommandContext): Promise<string | undefined> {
	const whyNot = unchangeable(state.key);
	if (whyNot) {
		context.ui.interact.say(nameCommands(whyNot, 'app'));
		return undefined;
	}

	const typed = await ask(state, context);
	if (typed === undefined) {
		return undefined;
	}

	const {text, hint} = changeNotice(
		await changeSetting({key: state.key, entry: undefined}, typed === unset ? undefined : typed, context),
	);
	return [text, hint].filter(Boolean).join(' ');
}

/** Returns the new value as typed, '' for none; undefined if the user cancels. */
async function ask(
	{key, value, overridden}: SettingState,
	{ui: {interact}}: CommandContext,
): Promise<string | undefined> {
	const {type, summary} = settingTable[key];
	if (type.kind === 'switch') {
		return (overridden ?? value) === true ? 'off' : 'on';
	}

	if (type.kind === 'choice') {
		const choices = [...type.values.map(id => ({id, label: id})), {id: unset, label: 'default'}];
		return interact.choose({title: summary, choices, current: String(overridden ?? value)});
	}

	const label = `${summary} (${allowedValues(key)}; empty for the default):`;
	return interact.ask({label, masked: false, optional: true});
}
