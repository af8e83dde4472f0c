import { useConsole } from '../api.ts'
import { Chip, Facts, Panel, ScreenHead, Waiting } from '../parts.tsx'
import { useLoaded } from '../useLoaded.ts'

/** What the process that answers runs with. Settings belong to the machine, so that nothing can be changed here. */
export function SettingsScreen() {
  const { api } = useConsole()
  const loaded = useLoaded('settings', () => api.getSettings({}))
  const { data } = loaded
  return (
    <>
      <ScreenHead
        title="Settings"
        lead="What this process runs with. They are set on the machine and read at the start; secrets are never shown."
      />
      {!data ? (
        <Waiting loaded={loaded} />
      ) : (
        <div className="grid">
          <Panel title="This process">
            <Facts
              facts={[
                ['Version', data.version],
                ['Database', data.database],
                ['Stand-ins', data.embedded.join(', ') || 'none'],
              ]}
            />
          </Panel>
          {data.groups.map(({ title, settings }) => (
            <Panel key={title} title={title}>
              <Facts
                facts={settings.map(({ name, value, is_secret }) => [
                  name,
                  is_secret ? <Chip key={name}>{value}</Chip> : value,
                ])}
              />
            </Panel>
          ))}
        </div>
      )}
    </>
  )
}
