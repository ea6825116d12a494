import {openConfig} from '../../src/config/config.ts';
import {saveSettings} from '../../src/config/settings/saved-settings.ts';
import {openHome} from '../../src/storage/home.ts';

// Run as a process of its own by config.test.ts: makes `count` changes to the settings, one at a time.
const [path, name = '', count = '0'] = process.argv.slice(2);
const config = openConfig(openHome({SERVICE_HOME: path}));
for (let index = 0; index < Number(count); index += 1) {
	await saveSettings(config, {[`${name}${index}`]: true});
}
