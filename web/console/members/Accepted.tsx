import { useState } from 'react'
import type { MemberPage } from '#contract/console/member-page.ts'
import { CONSENT_TITLE } from '#contract/legal.ts'
import { LegalText } from '#web/dialog/LegalText.tsx'
import { Dialog } from '#web/ui/FormDialog.tsx'
import { useConsole } from '../api.ts'
import { Panel, showTime, Waiting } from '../parts.tsx'
import { useLoaded } from '../useLoaded.ts'

type AcceptedText = MemberPage['accepted'][number]

/** A consent's version is a hash of its text, so there's no point in showing it. */
const nameOf = ({ title, version }: AcceptedText) => (title === CONSENT_TITLE ? title : `${title}, version ${version}`)

/** What the member agreed to, each with the text as it was on the screen. */
export function Accepted({ member }: { member: MemberPage }) {
  const { session } = useConsole()
  const [opened, setOpened] = useState<AcceptedText>()
  return (
    <Panel title="Accepted texts">
      <ul className="rows">
        {member.accepted.map((text) => (
          <li key={text.title + text.sha256}>
            <div>
              <p>
                <button type="button" className="link" onClick={() => setOpened(text)}>
                  {nameOf(text)}
                </button>
              </p>
              <p className="small">
                {showTime(text.accepted_at, session.time_zone)} · <code>{text.sha256.slice(0, 12)}</code>
              </p>
            </div>
          </li>
        ))}
      </ul>
      {opened && <TextDialog member_id={member.id} text={opened} onClose={() => setOpened(undefined)} />}
    </Panel>
  )
}

type TextDialogProps = { member_id: string; text: AcceptedText; onClose: () => void }

function TextDialog({ member_id, text, onClose }: TextDialogProps) {
  const { api, session } = useConsole()
  const { sha256, accepted_at } = text
  const loaded = useLoaded(sha256, () => api.getAcceptedText({ member_id, sha256 }))
  const { data } = loaded
  return (
    <Dialog title={nameOf(text)} text={`Accepted on ${showTime(accepted_at, session.time_zone)}.`} onClose={onClose}>
      {!data ? <Waiting loaded={loaded} /> : data.is_html ? <LegalText html={data.content} /> : <p>{data.content}</p>}
      <div className="form-actions">
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  )
}
