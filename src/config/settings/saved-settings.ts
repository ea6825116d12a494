import type {Config} from '../config.ts';
import type {ConfigData} from '../config-data.ts';

/** Changes some settings and keeps all others, even unknown ones. Throws what `Config.update` throws. */
export async function saveSettings(config: Config, changed: Readonly<Partial<ConfigData['settings']>>): Promise<void> {
	await config.update(data => ({...data, settings: {...data.settings, ...changed}}));
}

/** Returns what the agent may cost on a day, in US dollars; undefined without a budget. */
export function dayBudget({settings}: ConfigData): number | undefined {
	const {budgetDayUsd: usd} = settings;
	return usd !== undefined && usd > 0 ? usd : undefined;
}
