import type {CommandContext} from '../context.ts';
import type {Result} from '../result.ts';
import {changeNotice, changeSetting} from './change-setting.ts';
import {parseSettingPath} from './setting-entry.ts';
import {settingData} from './setting-views.ts';

/** Saves a setting as typed, or removes it, and says what counts now. Throws as `changeSetting` does. */
export async function saved(key: string, text: string | undefined, context: CommandContext): Promise<Result> {
	const state = await changeSetting(parseSettingPath(key), text, context);
	return {kind: 'text', ...changeNotice(state), data: settingData(state)};
}
