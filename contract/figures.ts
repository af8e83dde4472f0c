/** The numbers of the spec. site_length, text_length, password_max_length and code_length are ours. */
export const figures = {
  name_length: 30,
  email_length: 50,
  site_length: 30,
  text_length: 100,
  password_length: 8,
  password_max_length: 1000,
  cvc_length: 4,
  resend_seconds: 30,
  code_length: 6,
  username_pause_ms: 500,
  username_checked_from: 3,
  button_back_ms: 1000,
  expiry_years: 10,
  product_category_id: 17,
  language_id: 1,
  starter_product_id: 34,
} as const
