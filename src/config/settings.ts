import type {Config} from './config.ts';
import type {ConfigData} from './config-data.ts';

/** Changes settings; those that are not named stay, also such that this version does not know. Throws `AppError`. */
export async function saveSettings(config: Config, changed: Readonly<Partial<ConfigData['settings']>>): Promise<void> {
	await config.update(data => ({...data, settings: {...data.settings, ...changed}}));
}
