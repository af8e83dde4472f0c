import { tokenFromAddress } from '#contract/office.ts'
import { officeApi } from './api.ts'
import '../style/index.css'

// The office's door and the office itself: too little to need React.

const door = document.getElementById('door')
const copy = document.getElementById('copy')
const leave = document.getElementById('leave')

if (door) enter(door)
copy?.addEventListener('click', () => copyLink(copy))
leave?.addEventListener('click', () => officeApi.leaveOffice({}).finally(() => location.assign('/office')))

/** Spends the grant that stands in the address, and leaves the address behind. */
async function enter(shown: HTMLElement) {
  const written = location.pathname.split('/').at(-1) ?? ''
  try {
    await officeApi.enterOffice({ token: tokenFromAddress(decodeURIComponent(written)) })
    location.replace('/office')
  } catch {
    shown.classList.add('shut')
  }
}

async function copyLink(button: HTMLElement) {
  await navigator.clipboard.writeText(button.dataset.link ?? '')
  button.textContent = 'Copied'
}
