import type {Config} from './config.ts';
import type {ConfigData} from './config-data.ts';

/** Changes some settings and keeps all others, even unknown ones. Throws what `Config.update` throws. */
export async function saveSettings(config: Config, changed: Readonly<Partial<ConfigData['settings']>>): Promise<void> {
	await config.update(data => ({...data, settings: {...data.settings, ...changed}}));
}
